"""The pictures of the Block page in one table; each is loaded when it is first shown."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.pages.block.state import BlockPicture, BlockState


@lru_cache(maxsize=len(BlockPicture))
def block_drawing(picture: BlockPicture) -> PictureDrawing[BlockState, Any, Any]:
    """Return how a picture is drawn; the same object every time."""
    match picture:
        case BlockPicture.LAYER:
            from attention_explorer.pages.block.ui.diagram_picture import layer_drawing

            return layer_drawing()
        case BlockPicture.DEPTH:
            from attention_explorer.pages.block.ui.depth_picture import depth_drawing

            return depth_drawing()
        case BlockPicture.NORM:
            from attention_explorer.pages.block.ui.norm_picture import norm_drawing

            return norm_drawing()
        case BlockPicture.LINEAR:
            from attention_explorer.pages.block.ui.linear_picture import linear_drawing

            return linear_drawing()
        case BlockPicture.FUTURE:
            from attention_explorer.pages.block.ui.future_picture import future_drawing

            return future_drawing()
        case BlockPicture.CACHE:
            from attention_explorer.pages.block.ui.cache_picture import cache_drawing

            return cache_drawing()
