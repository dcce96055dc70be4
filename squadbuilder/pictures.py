"""A share code from the QR picture that it travels as (extra `qr`: zxing-cpp and Pillow)."""

from io import BytesIO

from squadbuilder.errors import ErrorCode, InputError, Where

_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")


def is_picture(data: bytes) -> bool:
    """Does the file begin as pictures do?"""
    return data.startswith(_PICTURES)


def text_of(data: bytes, file: str) -> bytes:
    """The text of the one QR code in a picture."""
    try:
        import zxingcpp
        from PIL import Image
    except ModuleNotFoundError:
        raise InputError(ErrorCode.QR_MISSING, Where(file=file)) from None
    try:
        with Image.open(BytesIO(data)) as picture:
            found = zxingcpp.read_barcodes(picture.convert("L"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise InputError(ErrorCode.QR_UNREADABLE, Where(file=file)) from None
    texts = sorted({code.text for code in found if code.text})
    if len(texts) != 1:
        raise InputError(ErrorCode.QR_UNREADABLE, Where(file=file))
    return texts[0].encode("utf-8")
