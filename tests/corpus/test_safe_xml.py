"""The hardened parser: what it gives back is the document, and what it cannot read it names."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.markup import doctype_end, doctype_start
from antecede.corpus.safe_xml import parse_sgml, parse_xml
from antecede.corpus.streams import to_utf8

if TYPE_CHECKING:
    from pathlib import Path

    from lxml.etree import _Element as Element


def parsed(data: bytes | str, root: str = "x") -> Element:
    return parse_xml(RawDocument(data.encode() if isinstance(data, str) else data, root, "f"))


def text_of(data: bytes | str, root: str = "x") -> str:
    return "".join(str(text) for text in parsed(data, root).itertext())


def reason(data: bytes | str, root: str = "x") -> str:
    with pytest.raises(DocumentError) as told:
        parsed(data, root)
    assert "\n" not in told.value.reason
    return told.value.reason


def test_namespaces_comments_and_instructions_are_gone() -> None:
    root = parsed('<e:a xmlns:e="urn:e" xmlns="urn:d" b="1"><c>1<!-- 2 -->3<?four?></c><m xmlns="urn:m"/><e:f/></e:a>')
    assert [element.tag for element in root.iter()] == ["a", "c", "m", "f"]
    assert root.get("b") == "1"
    assert root.findtext("c") == "13"


ATTRIBUTES = (
    ' xmlns="urn:d"', " xmlns='urn:s'", ' xmlns=""', ' xmlns = "urn:w"', '\nxmlns="urn:n"', ' k="v"',
    ' l="a xmlns=\'u\' b"', ' m="xmlns:p="', ' xmlns:q="urn:q"', " xmlns:q\n=\n'urn:r'", ' xml:lang="en"',
)  # fmt: skip


@st.composite
def namespaced_documents(draw: st.DrawFn, depth: int = 0) -> str:
    """Elements with and without a prefix, with namespaces declared in every customary and unusual way."""
    chosen = draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=3, unique_by=lambda each: each.split("=")[0].strip()))
    name = draw(st.sampled_from(["a", "b", "p:c", "p:d"]))
    parts = [draw(namespaced_documents(depth + 1)) for _ in range(draw(st.integers(0, 2 if depth < 3 else 0)))]
    text = draw(st.sampled_from(["", "x", " xmlns= ", 'y xmlns="urn:d" z']))
    declared = ' xmlns:p="urn:p"' if depth == 0 else ""
    return f"<{name}{declared}{''.join(chosen)}>{text}{''.join(parts)}</{name}>"


@given(namespaced_documents())
def test_elements_have_their_local_names_however_namespaces_are_declared(document: str) -> None:
    found, plain = parsed(document), etree.fromstring(document)
    for ours, theirs in zip(found.iter(), plain.iter(), strict=True):
        assert ours.tag == etree.QName(theirs).localname
        assert (ours.text, ours.tail) == (theirs.text, theirs.tail)
        assert {name: ours.get(name) for name in "klm"} == {name: theirs.get(name) for name in "klm"}


def test_prefixes_that_nobody_declared() -> None:
    for attributes in ("", ' xmlns:q="u"', MANY):
        root = parsed(f'<exch:a k="v"{attributes}><exch:b>x</exch:b><n1:c/></exch:a>')
        assert [element.tag for element in root.iter()] == ["a", "b", "c"]
    assert "not well-formed" in reason("<exch:a><exch:b></exch:a>")


def test_named_characters() -> None:
    assert text_of("<a>5 &mgr;m &times; &agr;&bgr; &lt;b&gt; &amp;agr; &LT;</a>") == "5 μm × αβ <b> &agr; <"
    assert parsed('<a b="&Dgr;T"/>').get("b") == "ΔT"
    assert text_of("<a><![CDATA[&agr; & <]]>&agr;<!-- &nosuch; --></a>") == "&agr; & <α"
    assert reason("<a>&nosuch;</a>") == "unknown entity &nosuch;"


def test_the_documents_own_entities_where_they_are_plain_text() -> None:
    doctype = "<!DOCTYPE a [<!ENTITY co 'ACME &#38;#38; Co' ><!ENTITY e \"it's &#233; > \"><!ENTITY e 'second'>]>"
    assert text_of(f"{doctype}<a>&e;</a>") == "it's é > "
    assert parsed(f"{doctype}<a b=\"&e;\" c='&e;'/>").values() == ["it's é > "] * 2
    assert reason(f"{doctype}<a>&co;</a>") == "the entity &co; is not a short plain text, and is not expanded"
    assert text_of("<!DOCTYPE a [<!ENTITY agr 'mine'>]><a>&agr;</a>") == "mine"


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE a>",
        '<!DOCTYPE a SYSTEM "x.dtd" [ ]>',
        '<!DOCTYPE a PUBLIC "-//X>//EN" "]>" [\n<!ENTITY % p "]>">\n]>',
        "<!DOCTYPE a [<!-- ' ]> --><?x \"]>?><!ENTITY t SYSTEM '>' NDATA T>\n]\n>",
    ],
)
def test_the_doctype_is_cut_away_whole(doctype: str) -> None:
    text = f"<?xml version='1.0'?>\n<!-- <!DOCTYPE b [ -->{doctype}\n<a>]&gt;</a>"
    assert text_of(text) == "]>"
    start = doctype_start(text.encode())
    assert text.encode()[start : doctype_end(text.encode(), start)] == doctype.encode()
    assert f"line {text.count(chr(10)) + 1}," in reason(text.replace("</a>", "</b>"))  # lines are where they were


def test_faults_that_can_mean_one_thing_only_are_mended() -> None:
    assert text_of("<a>one\x0btwo&#11;three\uffff &#xFFFE;four\x00</a>") == "one two three   four "
    assert text_of("<a>Kador & Partner, AT&T <![CDATA[R&D]]> &amp;</a>") == "Kador & Partner, AT&T R&D &"
    assert "not well-formed" in reason("<a>one <First Embodiment</a>")
    assert "not well-formed" in reason("<a b='\x01>&</a>")


@pytest.mark.parametrize(
    ("text", "codecs"),
    [
        ("Größe", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "iso-8859-15"]),
        ("特許", ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030"]),
    ],
)
def test_encodings(text: str, codecs: list[str]) -> None:
    for codec in codecs:
        data = f'<?xml version="1.0" encoding="{codec.removesuffix("-sig")}"?>\n<a>{text} &agr;</a>'.encode(codec)
        assert text_of(data) == f"{text} α"


def test_wrong_encodings_are_not_guessed() -> None:
    assert reason(b"<a>\n\ncaf\xe9</a>").startswith("byte 0xe9 on line 3 is not UTF-8")
    assert reason(b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>").startswith(
        "byte 0xe9 on line 1 is not ASCII"
    )
    for codec in ("punycode", "zlib", "hex", "rot13", "idna", "unicode_escape", "utf-7", "undefined"):
        told = reason(f"<?xml version='1.0' encoding='{codec}'?><a/>")
        assert told == f"declares the encoding '{codec}', which is unknown"
    assert text_of(b"<?xml version='1.0' encoding='UTF-16'?><a>b</a>") == "b"  # converted by somebody, its words left


def test_sgml_is_closed_quoted_and_named() -> None:
    sgml = b"""<!DOCTYPE PATDOC PUBLIC "-//USPTO//DTD" [
<!ENTITY A.TIF SYSTEM "A.TIF" NDATA TIF>
]>
<PATDOC DTD=2.4><B110><PDAT>06167569</PDAT></B110><B597US>
<PCIT><PDAT>Smith & Sons &mdash; 5 &mgr;m</PDAT></PCIT><CITED-BY-EXAMINER>
<EMI ID=EMI-1 FILE="A.TIF" ALT='a > b'><COLSPEC COLNAME=1></COLSPEC><CRF/>x</PATDOC>"""
    root = parsed(sgml, "PATDOC")
    assert root.get("DTD") == "2.4"
    assert root.findtext(".//PCIT/PDAT") == "Smith & Sons — 5 μm"
    assert [element.tag for element in root] == ["B110", "B597US", "PCIT", "CITED-BY-EXAMINER", "EMI", "COLSPEC", "CRF"]
    image = root.find("EMI")
    assert image is not None
    assert image.items() == [("ID", "EMI-1"), ("FILE", "A.TIF"), ("ALT", "a > b")]
    with pytest.raises(DocumentError, match="not well-formed"):
        parsed(sgml)  # only of a root that was SGML once


def test_sgml_with_a_tag_left_open_keeps_all_text() -> None:
    raw = RawDocument(b"<PATDOC><B540>A <B>bold hinge</B540> and a pin</PATDOC>", "PATDOC", "f")
    assert "".join(str(text) for text in parse_sgml(raw).itertext()) == "A bold hinge and a pin"


def test_sgml_that_would_lose_text_is_rejected() -> None:
    told = reason("<PATDOC><B540>A hinge</B540></PATDOC> and more", "PATDOC")
    assert told.startswith("SGML that cannot be read completely: ")
    assert reason("<PATDOC><A>x&#xD800;y<B></A></PATDOC>", "PATDOC").startswith("SGML that cannot be read completely: ")
    assert reason("<PATDOC><B540>&nosuch;</B540></PATDOC>", "PATDOC") == "unknown entity &nosuch;"


legal = st.text(
    st.characters(min_codepoint=32, max_codepoint=0xFFFD, exclude_categories=["Cs"], exclude_characters="\x7f")
)


def test_the_delete_character_is_a_space_however_it_is_written() -> None:
    doctype = '<!DOCTYPE a [<!ENTITY d "x&#127;y"><!ENTITY e "x\x7fy">]>'
    root = parsed(f"{doctype}<a b='1\x7f2'>a\x7fb&#127;c&#x7F;d&#x007f;e&d;&e;<![CDATA[f\x7fg&#127;]]></a>")
    assert root.get("b") == "1 2"
    assert root.text == "a b c d ex yx yf g&#127;"
    assert parsed("<a>&#1270;&#x7f0;</a>").text == "\u04f6\u07f0"


@given(legal, legal)
def test_text_comes_back_as_it_went_in(text: str, value: str) -> None:
    root = parsed(f'<?xml version="1.0"?><a b="{html.escape(value)}">{html.escape(text)}<c/>&agr;</a>')
    assert root.get("b") == value
    assert (root.text or "") == text
    assert root[0].tail == "α"


@given(legal)
def test_utf8_and_its_other_encodings_agree(text: str) -> None:
    document = f"<a>{html.escape(text)}</a>"
    for codec in ("utf-16", "utf-32", "utf-8-sig"):
        assert to_utf8(document.encode(codec)) == document.encode()


@given(st.binary(max_size=200))
def test_anything_gives_an_element_or_a_reason(data: bytes) -> None:
    for document in (data, b"<a>" + data + b"</a>", b"<!DOCTYPE a [" + data + b"]><a>&b;</a>"):
        for root in ("a", "PATDOC"):
            try:
                assert isinstance(parsed(document, root), etree._Element)
            except DocumentError as error:
                assert error.reason  # noqa: PT017 - either will do


def test_real_files_give_the_text_that_the_bare_parser_gives(data: Path) -> None:
    files = sorted((data / "formats" / "marec-clefip" / "corpus").glob("*.xml"))[::7]
    for path in files:
        raw = path.read_bytes()
        bare = etree.fromstring(raw, etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True))
        root = parsed(raw)
        assert list(root.itertext()) == list(bare.itertext())
        assert [element.tag for element in root.iter()] == [etree.QName(element).localname for element in bare.iter()]
    assert len(files) > 20


def test_real_characters_of_docdb_and_sgml(data: Path) -> None:
    docdb = next((data / "formats" / "epo-docdb").glob("WO-*.xml")).read_bytes()
    assert docdb.count(b"&SACUTE;") == 2
    assert text_of(docdb).count("KOŚNIK") == 2
    for path in (data / "formats" / "uspto-samples" / "sgml").iterdir():
        assert parsed(path.read_bytes(), "PATDOC").tag == "PATDOC"


MANY = "".join(f' xmlns:n{at}="u{at}"' for at in range(20))


@pytest.mark.parametrize("root", ["PATDOC", "patent-document"])
@pytest.mark.parametrize("attributes", ["", ' xmlns:q="u"', MANY])
@pytest.mark.parametrize("name", ["x:y", "x:", ":y", ":", "x:1", "x:y:z", "n1:y:z", "n1:"])
@pytest.mark.parametrize("after", ["", "<b>"])
def test_odd_prefixes_are_read_or_a_reason(root: str, attributes: str, name: str, after: str) -> None:
    data = f"<{root}{attributes}><a><{name}/>{after}</a></{root}>"
    try:
        tree = parsed(data, root)
    except DocumentError:
        return
    assert (tree.tag, tree[0].tag) == (root, "a")
