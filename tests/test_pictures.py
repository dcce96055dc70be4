"""A share code read from a QR picture, and pictures that hold none."""

import builtins
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from squadbuilder.cards import catalogue
from squadbuilder.errors import ErrorCode, InputError
from squadbuilder.formats import Format, read_deck, write_list
from squadbuilder.reading import data_folder


def qr_picture(text: str, kind: str = "PNG") -> bytes:
    code = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode)
    buffer = BytesIO()
    Image.fromarray(zxingcpp.write_barcode_to_image(code, scale=6)).save(buffer, kind)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "GIF", "WEBP"])
def test_a_deck_from_a_qr_picture(tmp_path: Path, kind: str) -> None:
    deck = read_deck(str(data_folder() / "decks" / "04-farro.txt"), catalogue())
    picture = tmp_path / "deck.picture"
    picture.write_bytes(qr_picture(write_list("", deck, Format.CODE).strip(), kind))
    assert read_deck(str(picture), catalogue()) == deck


def refused(path: Path, data: bytes) -> ErrorCode:
    path.write_bytes(data)
    with pytest.raises(InputError) as told:
        read_deck(str(path), catalogue())
    assert told.value.where.file == str(path)
    return told.value.code


def test_pictures_without_one_code_are_refused(tmp_path: Path) -> None:
    empty = BytesIO()
    Image.new("RGB", (80, 80), "white").save(empty, "PNG")
    picture = tmp_path / "deck.png"
    assert refused(picture, empty.getvalue()) is ErrorCode.QR_UNREADABLE
    assert refused(picture, qr_picture("#YUD")[:60]) is ErrorCode.QR_UNREADABLE
    assert refused(picture, b"RIFF and nothing more") is ErrorCode.QR_UNREADABLE
    assert refused(picture, qr_picture("no deck at all")) is ErrorCode.CARD_UNKNOWN


def test_without_the_extra_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    original = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "zxingcpp":
            raise ModuleNotFoundError(name=name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert refused(tmp_path / "deck.png", qr_picture("#YUD")) is ErrorCode.QR_MISSING
