"""The numbers of the Positions page as files: read back, they are those of the model."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from written_numbers import csv_text, json_text, npy_bytes, npz_bytes

from attention_explorer.core.numbers_export import Numbers, array_table
from attention_explorer.core.numbers_files import as_csv
from attention_explorer.errors import ExportError
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.model.alibi import alibi_bias, alibi_slopes
from attention_explorer.model.encodings import sinusoidal_encoding, wavelengths
from attention_explorer.pages.positions.encoding import encoding_arrays
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import Likeness, PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of

STATE = PositionsState(length=20)

pytestmark = pytest.mark.usefixtures("qapp")


def written(state: PositionsState) -> Numbers:
    """Return what files of numbers hold of the view on show."""
    return figure_of(view_of(state.picture), state, "Positions").numbers()


def test_every_file_holds_the_encoding_with_every_digit() -> None:
    numbers, expected = written(STATE), sinusoidal_encoding(20, 64)
    rows = list(csv.reader(io.StringIO(csv_text(numbers))))
    assert rows[0][1:4] == ["0", "1", "2"]
    assert [row[0] for row in rows[1:]] == [str(position) for position in range(20)]
    table = np.asarray([row[1:] for row in rows[1:]], np.float64)
    np.testing.assert_array_equal(table, np.load(io.BytesIO(npy_bytes(numbers))))
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-12)
    archive = np.load(io.BytesIO(npz_bytes(numbers)))
    np.testing.assert_array_equal(archive["encoding"], table)
    np.testing.assert_array_equal(archive["wavelengths"], wavelengths(64))
    assert json.loads(str(archive["parameters"]))["settings"]["base"] == 10000.0
    document = json.loads(json_text(numbers))
    np.testing.assert_array_equal(document["encoding"], table)
    assert document["settings"] == {"kind": "sinusoidal", "length": 20, "d_model": 64, "base": 10000.0}


def test_alibi_gives_its_biases_and_slopes() -> None:
    numbers = written(PositionsState(PositionKind.ALIBI, length=5, heads=3))
    np.testing.assert_array_equal(numbers.arrays["bias"], alibi_bias(3, 5))
    np.testing.assert_array_equal(numbers.arrays["slopes"], alibi_slopes(3))
    assert csv_text(numbers).splitlines()[0] == "head (from 1),slope"
    assert len(csv_text(numbers).splitlines()) == 4


def test_settings_name_what_decides_the_numbers_of_a_kind() -> None:
    for kind, names in (
        (PositionKind.LEARNED, {"kind", "length", "d_model", "seed", "standard_deviation"}),
        (PositionKind.ROTARY, {"kind", "length", "d_model", "base", "layout", "note"}),
    ):
        settings = written(replace(STATE, kind=kind)).parameters["settings"]
        assert isinstance(settings, dict)
        assert set(settings) == names


def test_nothing_and_too_much_are_refused_in_words() -> None:
    with pytest.raises(ExportError, match="Without an encoding there is nothing to draw"):
        written(PositionsState(PositionKind.NONE))
    with pytest.raises(ExportError, match="8\N{NO-BREAK SPACE}388\N{NO-BREAK SPACE}608"):
        encoding_arrays(PositionsState(length=8192, d_model=1024))
    with pytest.raises(ExportError, match="at least two words"):
        written(replace(STATE, picture=PositionsPicture.ORDER, sentence="alone"))


def test_other_pictures_have_a_line_a_number() -> None:
    numbers = written(replace(STATE, picture=PositionsPicture.SIMILARITY))
    lines = csv_text(numbers).splitlines()
    assert lines[0] == "array,row,column,value"
    assert lines[1].startswith("similarity,0,0,32")
    assert lines[-1].startswith("curve,19,0,19.97")
    assert len(lines) == 1 + 20 * 20 * 2 + 3 * 20
    assert json.loads(json_text(numbers))["settings"]["length"] == 20


def test_every_other_picture_has_its_own_numbers() -> None:
    expected = sinusoidal_encoding(64, 64)
    similarity = PositionsState(picture=PositionsPicture.SIMILARITY)
    np.testing.assert_allclose(written(similarity).arrays["similarity"], expected @ expected.T, atol=1e-11)
    distances = written(replace(similarity, likeness=Likeness.DISTANCE)).arrays["distances"]
    assert distances[0, 1] == pytest.approx(1.4718, abs=5e-5)
    attention = written(PositionsState(picture=PositionsPicture.ATTENTION)).arrays
    assert attention["weights"].sum() == pytest.approx(1.0)
    assert attention["terms"].sum() == pytest.approx(attention["scores"][5])
    errors = written(PositionsState(picture=PositionsPicture.ORDER)).arrays["errors"]
    assert errors.shape == (6, 2)
    assert errors[0, 0] < 1e-14


@pytest.mark.parametrize("picture", PositionsPicture)
def test_files_say_which_view_they_are_of(picture: PositionsPicture) -> None:
    assert written(replace(STATE, picture=picture)).parameters["picture"] == picture.value


def test_the_table_of_arrays_has_a_line_a_number() -> None:
    arrays = {"map": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "curve": np.array([7.0, 8.0])}
    table = array_table(arrays)
    assert table.count == 8
    assert as_csv(table.header, table.rows()).splitlines() == [
        "array,row,column,value",
        *("map,0,0,1.0", "map,0,1,2.0", "map,0,2,3.0", "map,1,0,4.0", "map,1,1,5.0", "map,1,2,6.0"),
        *("curve,0,0,7.0", "curve,1,0,8.0"),
    ]
