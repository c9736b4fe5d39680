"""The pictures of the Block page in one table; each is loaded when it is first shown."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.pages.stack.state import BlockPicture, BlockState


@lru_cache(maxsize=len(BlockPicture))
def block_drawing(picture: BlockPicture) -> PictureDrawing[BlockState, Any, Any]:
    """Return how one of the pictures of Block is drawn; the same object every time."""
    if picture is BlockPicture.FUTURE:
        from attention_explorer.pages.block.ui.future_picture import future_drawing

        return future_drawing()
    if picture is BlockPicture.CACHE:
        from attention_explorer.pages.block.ui.cache_picture import cache_drawing

        return cache_drawing()
    from attention_explorer.pages.block.ui.diagram_picture import layer_drawing

    return layer_drawing()
