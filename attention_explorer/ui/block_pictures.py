"""The pictures of the Block page in one table; each is loaded when it is first shown."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from attention_explorer.state.block import BlockPicture, BlockState
from attention_explorer.ui.pictures import PictureDrawing


@lru_cache(maxsize=len(BlockPicture))
def block_drawing(picture: BlockPicture) -> PictureDrawing[BlockState, Any, Any]:
    """Return how a picture is drawn; the same object every time."""
    match picture:
        case BlockPicture.LAYER:
            from attention_explorer.ui.block_picture import layer_drawing

            return layer_drawing()
        case BlockPicture.DEPTH:
            from attention_explorer.ui.depth_picture import depth_drawing

            return depth_drawing()
        case BlockPicture.NORM:
            from attention_explorer.ui.norm_picture import norm_drawing

            return norm_drawing()
        case BlockPicture.LINEAR:
            from attention_explorer.ui.linear_picture import linear_drawing

            return linear_drawing()
        case BlockPicture.FUTURE:
            from attention_explorer.ui.future_picture import future_drawing

            return future_drawing()
        case BlockPicture.CACHE:
            from attention_explorer.ui.cache_picture import cache_drawing

            return cache_drawing()
