"""What the columns of a table mean: by their names in five languages, by the database they come from, by their content.

A table is a hit list of patents or an export of references. Its columns are recognised once per file, from the header
and from the rows at the beginning; `Layout.read` then turns each row into the fields of a record.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from antecede.corpus.dates import DateOrder, find_order, read_dates
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import field_names
from antecede.errors import advise, printable
from antecede.patent import PatentNumber
from antecede.patent.fields import CLASSES, CODES, DAY, PEOPLE
from antecede.patent.record import PATENT_FIELDS
from antecede.patent.texts import FIELDS
from antecede.tables import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from antecede.corpus.formats import FieldNames

# Names of columns

COLUMN_NAMES = {
    "doc_id": "doc_id|docid|docno|patent_id|record_id|id|key|ut|ut unique wos id|eid|covidence|pui|storeid|ui"
    "|accession number|zugangsnummer|numero d acces|citation id|identifier",
    "number": "number|display key|publication number|publication numbers|publication no|publication no.|pub number"
    "|patent number|patent no|patent/publication number|patent publication number|document number|doc number|ucid"
    "|pub|patent|publication|veroffentlichungsnummer|veroffentlichungsnr|publikationsnummer|patentnummer"
    "|dokumentnummer|schriftnummer|numero de publication|n de publication|no de publication|numero de brevet"
    "|numero de publicacion|num publicacion|n de publicacion|numero de patente|numero de publicacao|n de publicacao"
    "|numero da publicacao|numero da patente",
    "country": "country|jurisdiction|publication country|land|pays|pais|country code|authority",
    "kinds": "kind|kinds|kind code|dokumentart|schriftart|code du type|tipo de documento",
    "language": "language|lang|sprache|langue|idioma|publication language|la",
    "title": "title|titles|invention title|title of invention|article title|document title|primary title|ti|t1|titel"
    "|bezeichnung|erfindungsbezeichnung|titre|titre de l invention|titulo|titulo de la invencion|titulo da invencao"
    "|designation",
    "abstract": "abstract|abstracts|abstract text|abstract note|summary|ab|zusammenfassung|abrege|resume|resumen"
    "|resumo",
    "claims": "claims|claim|claims text|patentanspruche|anspruche|revendications|reivindicaciones|reivindicacoes",
    "description": "description|description full|description text|full text|text|body|beschreibung|descripcion"
    "|descricao",
    "ipc": "ipc|ipc hauptklasse|international patent classification|int class|cip|ipcs|ipcr|ipc codes|ipc code"
    "|ipc classes|ipcr classifications|ipc classifications|ipc classification|i p c|int cl"
    "|international classification|ipc klassen|ipc klassifikation|cib|clasificacion internacional"
    "|classificacao internacional",
    "cpc": "cpc|cooperative patent classification|cpc hauptklasse|cpcs|cpc codes|cpc code|cpc classes"
    "|cpc classifications|cpc classification|c p c|cpc klassen",
    "priority_date": "priority date|earliest priority date|earliest priority|priority|priority dates|prioritatsdatum"
    "|fruheste prioritat|fruhestes prioritatsdatum|prioritat|date de priorite|priorite la plus ancienne"
    "|date de priorite la plus ancienne|prioridad mas antigua|fecha de prioridad|data de prioridade"
    "|prioridade mais antiga",
    "filing_date": "filing date|date of application|date of filing|filing/creation date|application date|date filed"
    "|filed|filing|anmeldedatum|anmeldetag|date de depot|date de la demande|fecha de presentacion|fecha de solicitud"
    "|fecha de la solicitud|data de deposito|data do deposito|data do pedido|data de apresentacao",
    "publication_date": "publication date|issue date|date issued|date of publication|publication dates|pub date"
    "|date published|published|date|grant date|publikationsdatum|veroffentlichungsdatum|veroffentlichungstag"
    "|offenlegungstag|date de publication|fecha de publicacion|data de publicacao|data da publicacao"
    "|earliest publication|fruheste veroffentlichung|publication la plus ancienne",
    "publication_year": "year|publication year|published year|year of publication|pubyear|year published|py|y1|jahr"
    "|erscheinungsjahr|annee|annee de publication|ano|ano de publicacion|ano de publicacao",
    "applicants": "applicants|applicant|assignees|assignee|owners|owner|original assignee|current assignee|anmelder"
    "|anmelder inhaber|inhaber|demandeurs|demandeur|deposants|deposant|titulaires|solicitantes|solicitante"
    "|requerentes|requerente|depositantes|depositante|applicants owners",
    "inventors": "inventors|inventor|inventor/author|erfinder|inventeurs|inventeur|inventores",
    "family_id": "family|family id|simple family id|simple family members|family number|familiennummer|familie"
    "|numero de famille|numero de familia|n de familia|numero da familia",
    "citations": "citations|citation|cited patents|cites patents|backward citations|patent citations|refs|references"
    "|cited|cites|zitate|entgegenhaltungen|citas|citacoes",
    "authors": "authors|author|author names|author full names|au|first authors|a1|autoren|autor|verfasser|auteurs"
    "|auteur|autores",
    "journal": "journal|journal/book|publication title|pubtitle|publication name|container title|source title"
    "|journal title|so|secondary title|source|zeitschrift|revue|revista",
    "doi": "doi|dois|di|digital object identifier",
    "pmid": "pmid|pubmed id|pubmed|pm|medline pmid|pubmed ids",
    "keywords": "keywords|keyword|author keywords|de|kw|identifierkeywords|manual tags|tags|schlagworter|schlagworte"
    "|mots cles|mots clefs|palabras clave|palavras chave",
    "label": "antecede mark|label included|included|asreview label|final included|label|inclusion|final decision"
    "|abstract included|included label|screening decision|decision|rayyan inclusion|eingeschlossen|einschluss|inclus"
    "|incluido|incluidos",
    "prior": "asreview prior|prior|prior knowledge",
    "notes": "notes|note|notizen|exported notes 1",
    "url": "url|urls|link|result link|openurl|open url link|ur",
    "legal_status": "legal status|status|rechtsstand|statut juridique|situacion juridica|situacao legal",
}
"""Our field → the names of its columns, in the form of `fold`, the preferred ones first. Accents, case and everything
that is no letter or digit are left out of a comparison."""
RECORD_FIELDS = tuple(COLUMN_NAMES)
_TEXTS = FIELDS
_OF_ARTICLES = ("doi", "pmid", "journal")
_LONG = ("claims", "description")
"""Fields that the record holds as they are: their columns are not stored a second time."""
_DATES = tuple(declared.name for declared in PATENT_FIELDS if declared.codec is DAY)
_LISTS = {declared.name for declared in PATENT_FIELDS if declared.codec in (CODES, CLASSES, PEOPLE)} | {"family_id"}
_LANGUAGES = {
    **dict.fromkeys(("english", "englisch", "anglais", "ingles"), "en"),
    **dict.fromkeys(("german", "deutsch", "allemand", "aleman", "alemao"), "de"),
    **dict.fromkeys(("french", "franzosisch", "francais", "frances"), "fr"),
}
_ALTERNATIVES = re.compile(r"\s*[/|]\s*|\s+[-–]\s+|\s*[\[\]()]\s*")
_QUALIFIERS = frozenset((
    "current", "original", "standardized", "normalized", "dwpi", "inpadoc", "earliest", "latest", "first", "main",
    "full", "all", "name", "names", "list",
))  # fmt: skip
"""Words that say which of several values of a field a column has."""
_QUALIFIED = 1000
"""The rank of a name that is only a part of the name of a column."""
MIN_COLUMNS, MAX_COLUMNS, MAX_NAME_LENGTH = 2, 4096, 200
_SPACE = re.compile(r"\s+")
_NOT_LETTERS = re.compile(r"[^0-9a-z]+")
_SEPARATORS = re.compile(r"[;|\n]")
_LANGUAGE_IN_BRACKETS = re.compile(r"\[(DE|EN|FR|ES|PT|IT|NL|JA|ZH|KO|RU)\]\s")
"""As DEPATISnet writes titles: `[DE] Verfahren [EN] Method`."""
_FORMULA_OF_TEXT = re.compile(r'=(?:HYPERLINK\("[^"]*"[;,]\s*)?"([^"]*)"\)?', re.IGNORECASE)
_MARKUP = re.compile(r"</?(?:i|b|u|em|strong|sub|sup|p|br|span|div|jats:\w+|h[1-6])(?:\s[^<>]*)?/?>", re.IGNORECASE)
_MARKUP_IN_WORD = re.compile(r"(?<=\w)((?:</?(?:i|b|em|strong|p|br|span|div|h[1-6])/?>)+)(?=\w)", re.IGNORECASE)
"""Tags that separate words where nothing else does: `from<i>In`."""
_JSON_CELL = re.compile(r'\s*(?:\{\s*"|\[\s*["{])')
_PYTHON_LIST = re.compile(r"\[\s*'.*'\s*\]\Z", re.DOTALL)
_PYTHON_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'")
_OFFICES_AFTER = re.compile(r"\s*\((?:[A-Z]{2},?\s?)+\)")
"""The offices that assigned a CPC symbol, as Espacenet appends them: `G21C3/34 (EP,KR,US)`."""
_COUNTRY_AFTER = re.compile(r"\s*\[[A-Z]{2}\]\Z")
_BETWEEN_COUNTRIES = re.compile(r"(\[[A-Z]{2}\])[ ,]+(?=\S)")
_DATE_AFTER = re.compile(r"\s*\([0-9]{4}-[0-9]{2}-[0-9]{2}\)\Z")
_CORPORATE = re.compile(
    r"(?:inc|ltd|llc|l\.l\.c|corp|co|gmbh|ag|kg|plc|limited|incorporated|s\.?a\.?r?\.?l?|b\.?v|n\.?v|l\.?p|s\.?p\.?a|jr"
    r"|sr|ii|iii|pte|pty|kk|k\.k|ltd\.?a)\.?\Z",
    re.IGNORECASE,
)
"""What follows a comma inside the name of a company or of a person."""
_PATENTSCOPE_ID = re.compile(r"[A-Z]{2}[A-Z0-9]+")
_BRAZILIAN = re.compile(r"([0-9]{6,12})(?:-[0-9])?")
_APPLICATION_NUMBERS = ("application number", "numero de la demande", "anmeldenummer", "numero de solicitud")
_OWN_COLUMN = "antecede_mark"
_FLAGS = frozenset({"", "yes", "no", "true", "false", "0", "1"})
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
"""A character that says as much as three letters."""
_CLASS = re.compile(r"[A-HY]\d{2}[A-Z]\s?\d{1,4}/\d{2,}")


@lru_cache(maxsize=1 << 14)
def fold(name: str) -> str:
    """A name in the form in which names are compared: `Veröffentlichungs-Nr.` is `veroffentlichungs nr`."""
    name = name.replace("(s)", "")  # `Inventor(s)`
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return _NOT_LETTERS.sub(" ", plain.replace("oe", "o").replace("ae", "a").replace("ue", "u")).strip()


def _by_name() -> dict[str, tuple[tuple[str, int], ...]]:
    table: dict[str, list[tuple[str, int]]] = {}
    for ours, names in COLUMN_NAMES.items():
        for rank, name in enumerate((ours, *names.split("|"))):
            table.setdefault(fold(name), []).append((ours, rank))
    return {name: tuple(meanings) for name, meanings in table.items()}


_MEANINGS = _by_name()


@dataclass(frozen=True)
class Source:
    """A database whose tables are recognised by their columns, where the names alone do not say enough."""

    preset: str
    title: str
    keys: tuple[frozenset[str], ...]
    """Sets of folded names: a table that has all of one set comes from here."""
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Our field → the folded names of its column, in order of preference."""
    commas: bool = False
    """Whether persons and companies are separated by commas."""


def _keys(*sets: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(fold, names.split("|"))) for names in sets)


_APPLICATION_IDS = (
    "application id", "identifiant de la demande", "id de la demande", "anmeldungs-id", "id der anmeldung",
    "identificador de la solicitud", "id de la solicitud", "identificador do pedido", "id do pedido",
)  # fmt: skip
"""What PATENTSCOPE calls its own id of a record, which is a number of a patent only for WO."""
SOURCES = (
    Source(
        "lens",
        "The Lens",
        _keys("lens id|jurisdiction|kind", "jurisdiction|kind|publication number|simple family size"),
        {
            "number": ("display key", "publication number", "lens id"),
            "family_id": "simple family members",
            "citations": ("cited patents", "cites patents"),
            "applicants": "applicants",
            "doi": (),  # of articles that it cites
            "pmid": (),
        },
    ),
    Source(
        "google",
        "Google Patents",
        _keys("id|title|assignee|result link", "id|assignee|inventor author|priority date"),
        {"number": "id", "publication_date": "publication date"},
        commas=True,
    ),
    Source(
        "espacenet",
        "Espacenet",
        _keys(
            "publication number|earliest priority|family number",
            "publication number|earliest priority|earliest publication",
            "titre|numéro de publication|publication la plus ancienne",
            "título|número de publicación|prioridad más antigua",
            "título|número de publicação|prioridade mais antiga",
            "veröffentlichungsnummer|früheste veröffentlichung",
            "veröffentlichungsnummer|früheste priorität",
            "numéro de publication|priorité la plus ancienne",
        ),
    ),
    Source(
        "patentscope",
        "PATENTSCOPE",
        _keys("application id|application number|country", "application id|title|i p c", *_APPLICATION_IDS[1:]),
        {
            "doc_id": (*map(fold, _APPLICATION_IDS),),
            "number": (*map(fold, ("publication number", "numéro de publication", "veröffentlichungsnummer")),),
        },
    ),
    Source(
        "wos",
        "Web of Science",
        _keys("pt|au|ti|so"),
        {"keywords": ("de", "id"), "doc_id": "ut", "language": "la"},
    ),
    Source("embase", "Embase", _keys("title|author names|source|abstract")),
    Source("asreview", "ASReview", _keys("asreview label|title")),
    Source("rayyan", "Rayyan", _keys("key|title|authors|pubmed id|notes")),
    Source("covidence", "Covidence", _keys("covidence|title|abstract")),
)
"""A source has a line here if its own names are ambiguous or it is worth naming; any other table is read by names."""


def source_of(columns: Sequence[str], preset: str | None) -> Source | None:
    """The source that a table comes from: the one that the user named, else the one that its columns give away."""
    if preset is not None:
        return next((source for source in SOURCES if source.preset == preset), None)
    names = frozenset(map(fold, columns))
    return next((source for source in SOURCES if any(keys <= names for keys in source.keys)), None)


# What the columns of a table are


@dataclass(frozen=True)
class Layout:
    """Where the fields of a record are in the rows of one table."""

    columns: tuple[str, ...]
    fields: Mapping[str, tuple[tuple[str, int], ...]]
    """Our field → its columns, each with the language of a text; joined are those named by the user with a `+`."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """Fields that the user named by a path that is no column."""
    source: Source | None = None
    orders: Mapping[int, DateOrder] = field(default_factory=dict)
    """The order of day and month in a column of dates."""

    @property
    def is_list_of_patents(self) -> bool:
        """Whether the records are patents, which have a number, rather than references."""
        return "number" in self.fields and self.fields.keys().isdisjoint(_OF_ARTICLES)

    def describe(self) -> str:
        """What was understood, for the user: source, columns, order of dates, what is kept without being used."""
        used = {at for places in self.fields.values() for _, at in places}
        meanings = [
            f"{ours}{f' ({language})' if language else ''} = {printable(self.columns[at])}"
            for ours, places in self.fields.items()
            for language, at in places
        ]
        meanings += [f"{ours} = {printable(path)}" for ours, path in self.paths.items()]
        others = [printable(column) for at, column in enumerate(self.columns) if at not in used and column]
        kind = f"an export of {self.source.title}" if self.source is not None else "a table"
        orders = {order for order in self.orders.values() if order != "any"}
        dates = f"; dates with the {' or the '.join(sorted(orders))} first" if orders else ""
        more = f"; not interpreted: {', '.join(others[:12])}{', …' if len(others) > 12 else ''}" if others else ""
        return f"read as {kind}: {', '.join(meanings)}{dates}{more}"

    def read(self, cells: Sequence[Any], problems: Counter[str]) -> dict[str, Any]:
        """The fields of a row; what is not understood is left out and counted in `problems`."""
        record: dict[str, Any] = {}
        if _OWN_COLUMN in self.columns:  # a list that went out, in which no cell may be taken for a formula
            cells = [plain_text(cell) if isinstance(cell, str) else cell for cell in cells]
        for ours, places in self.fields.items():
            value = self._read_field(ours, places, cells, problems)
            if value not in field_names.EMPTY:
                record[ours] = value
        row = {column: cell for column, cell in zip(self.columns, cells, strict=False) if cell not in field_names.EMPTY}
        for ours, path in self.paths.items():
            if (value := field_names.select_fields(row, {ours: path}).get(ours)) not in field_names.EMPTY:
                record[ours] = value
        self._number(record, row)
        long = {self.columns[at] for ours in _LONG for _, at in self.fields.get(ours, ())}
        cells_by_name = ((name, cell) for name, cell in row.items() if name and name not in long)
        record["original"] = {name: cell if isinstance(cell, str) else str(cell) for name, cell in cells_by_name}
        return record

    def _read_field(
        self, ours: str, places: Sequence[tuple[str, int]], cells: Sequence[Any], problems: Counter[str]
    ) -> Any:
        given = [
            (language, at, _shown_text(cells[at])) for language, at in places if cells[at] not in field_names.EMPTY
        ]
        if not given:
            return None
        if ours in _DATES:
            year = self._year(cells) if ours == "publication_date" else None
            for _, at, cell in given:
                days, unread = read_dates(cell, self.orders.get(at, "any"), year)
                problems[f"{ours} that is no date, as {printable(unread, 30)}, left out"] += 1 if unread else 0
                if days:
                    return [str(day) for day in days]
            return None
        if ours in _TEXTS:
            texts = {language: read_cell(ours, cell) for language, _, cell in given}
            return texts[""] if [*texts] == [""] else _merge_texts(texts)
        return read_cell(ours, given[0][2], commas=self.source is not None and self.source.commas)

    def _year(self, cells: Sequence[Any]) -> int | None:
        places = self.fields.get("publication_year", ())
        text = str(cells[places[0][1]]) if places else ""
        return int(text) if re.fullmatch(r"[12][0-9]{3}", text) else None

    def _number(self, record: dict[str, Any], row: Mapping[str, Any]) -> None:
        """The number of a patent in normal form, with the kinds of all its documents that the row lists."""
        given, country = record.pop("number", None), record.pop("country", "")
        named = "doc_id" in self.fields or "doc_id" in self.paths
        is_patentscope = self.source is not None and self.source.preset == "patentscope"
        if given is None and is_patentscope:
            given = _patentscope_number(record, row, country)
        texts = [*map(str, given)] if isinstance(given, list) else _split_cell(str(given or ""))
        kind = next(iter(record.get("kinds", ())), None)
        numbers = [
            number for text in texts if (number := PatentNumber.parse(text) or PatentNumber.of(country, text, kind))
        ]
        if numbers:
            first = numbers[0]
            kinds = [number.kind for number in numbers if number.key == first.key and number.kind]
            record["number"] = str(first)
            record.setdefault("kinds", [*dict.fromkeys(kinds)])
            if not named or is_patentscope:
                record["doc_id"] = first.key
        elif texts and not named:
            record["doc_id"] = _SPACE.sub("", texts[0])
        elif is_patentscope and "doc_id" in record:  # no number, though it may look like one
            own = _PATENTSCOPE_ID.fullmatch(str(record.pop("doc_id")))
            record |= {"doc_id": f"patentscope:{own[0]}"} if own is not None else {}


def _patentscope_number(record: Mapping[str, Any], row: Mapping[str, Any], country: str) -> str | None:
    """The number of a patent in PATENTSCOPE, which has ids of its own for all but WO and, by application, BR."""
    doc_id = str(record.get("doc_id", ""))
    if doc_id.startswith("WO"):
        return doc_id
    application = next((str(cell) for name, cell in row.items() if fold(name) in _APPLICATION_NUMBERS), "")
    digits = _BRAZILIAN.fullmatch(application.strip())
    return f"BR{digits[1]}" if country == "BR" and digits is not None else None


def _shown_text(cell: Any) -> Any:
    """What a spreadsheet shows of a cell such as `="EP1000000"`, or of a link."""
    shown_text = _FORMULA_OF_TEXT.fullmatch(cell) if isinstance(cell, str) and cell.startswith("=") else None
    return cell if shown_text is None else shown_text[1]


def clean(text: str) -> str:
    """Text without the markup of a web page that databases leave in titles; other angle brackets are kept."""
    if "<" not in text and "&" not in text:
        return text
    return _MARKUP.sub("", _MARKUP_IN_WORD.sub(r"\1 ", html.unescape(text))).strip()


def _merge_texts(texts: Mapping[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for language, text in texts.items():
        merged |= text if isinstance(text, dict) else {language: text}
    return merged


def read_cell(ours: str, cell: Any, *, commas: bool = False) -> Any:
    """The value of a cell: JSON where it is, a list for a field that has several values, else the text."""
    if not isinstance(cell, str):
        return cell
    if ours != "doc_id" and _JSON_CELL.match(cell) is not None:
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    if ours == "doc_id":
        return cell.strip()
    if ours in _TEXTS:
        cell = clean(cell)
        parts = _LANGUAGE_IN_BRACKETS.split(cell) if cell.startswith("[") else []
        return {code.lower(): text.strip() for code, text in zip(parts[1::2], parts[2::2], strict=True)} or cell
    if _PYTHON_LIST.match(cell) is not None:  # a list as pandas writes it
        return [item.replace("\\'", "'") for item in _PYTHON_ITEM.findall(cell)]
    if ours == "citations":
        return [number for part in _split_cell(cell) for number in _split_numbers(part)]
    if ours in ("ipc", "cpc"):
        return _split_cell(_OFFICES_AFTER.sub("", cell))
    if ours in ("applicants", "inventors", "authors"):
        names = _split_names(ours, _BETWEEN_COUNTRIES.sub("\\1\n", cell), commas)
        return [_DATE_AFTER.sub("", _COUNTRY_AFTER.sub("", name)) for name in names]
    return _split_cell(cell) if ours in _LISTS else cell.strip()


def _split_cell(cell: str) -> list[str]:
    return [*filter(None, map(str.strip, _SEPARATORS.split(cell)))]


def _split_names(ours: str, cell: str, commas: bool) -> list[str]:
    """Names separated by semicolons, or by commas, which may also precede `Inc.` and the initials of an author."""
    names = _split_cell(cell)
    if len(names) != 1 or not (commas or ours == "authors"):
        return names
    given = re.split(r"\s+(?:and|&)\s+", names[0]) if ours == "authors" else []
    if len(given) > 1 and all(name.count(",") <= 1 for name in given):  # of Rayyan
        return given
    parts = [part.strip(" ，") for part in re.split(r"[,，]\s", names[0])]
    if ours == "authors" and any(" " not in part for part in parts):
        return names  # `Marx, Karl`: the comma belongs to the name
    joined: list[str] = []
    for part in filter(None, parts):
        if joined and _CORPORATE.match(part):
            joined[-1] += f", {part}"
        else:
            joined.append(part)
    return [*dict.fromkeys(joined)]


def _split_numbers(part: str) -> list[str]:
    """Numbers separated by commas, which in `US 5,123,456` are a part of the number."""
    if "," not in part or PatentNumber.parse(part) is not None:
        return [part]
    parts = [each.strip() for each in part.split(",")]
    return parts if all(PatentNumber.parse(each) is not None for each in parts) else [part]


# Recognition


def match_columns(columns: Sequence[str], names: FieldNames) -> Layout:
    """The layout that the names of the columns, and what the user says, give; dates are not yet in order."""
    columns = distinguish(columns)
    source = source_of(columns, names.get(field_names.PRESET))
    chosen: dict[str, dict[str, tuple[int, int]]] = {}  # field → language → (rank, position)
    for at, column in enumerate(columns):
        for ours, rank, language in _meanings_of(column, source):
            best = chosen.setdefault(ours, {})
            if ours not in names and rank < best.get(language, (1 << 20, 0))[0]:
                best[language] = (rank, at)
    fields = {ours: tuple((language, at) for language, (_, at) in best.items()) for ours, best in chosen.items()}
    paths: dict[str, str] = {}
    for ours, path in names.items():
        if ours not in RECORD_FIELDS:
            continue
        if path in columns:
            fields[ours] = (("", columns.index(path)),)
        else:
            paths[ours] = path
    usual = {ours: fields[ours] for ours in (*RECORD_FIELDS,) if fields.get(ours)}
    if "doc_id" in names:  # the user's name of a record goes before its number
        usual.pop("number", None) if "number" not in names else None
    elif "number" in usual and usual.get("doc_id") == usual["number"]:
        usual.pop("doc_id")
    return Layout(tuple(columns), usual, paths, source)


def distinguish(columns: Sequence[str]) -> list[str]:
    """The names of columns, each once: the second `Title` is `Title (2)`."""
    used: Counter[str] = Counter()
    names = []
    for column in columns:
        used[column] += 1
        names.append(f"{column} ({used[column]})" if column and used[column] > 1 else column)
    return names


def _meanings_of(column: str, source: Source | None) -> list[tuple[str, int, str]]:
    """The fields that a column may be, each with the rank of the name and the language of a text."""
    name = fold(column)
    own = source.columns if source is not None else {}
    meanings = []
    for ours, preferred in own.items():
        ranked = (preferred,) if isinstance(preferred, str) else preferred
        meanings += [(ours, rank, "") for rank, known in enumerate(ranked) if known == name]
    taken = {ours for ours, _, _ in meanings}
    if any(ours in ("number", "doc_id") for ours in taken):
        return meanings  # the source says what identifies a record: its column is nothing else
    known = _MEANINGS.get(name, ())
    if known:
        meanings += [(ours, rank, "") for ours, rank in known if ours not in taken and ours not in own]
    elif " " in name:
        base, _, language = name.rpartition(" ")
        code = _LANGUAGES.get(language, language)
        if re.fullmatch("[a-z]{2}", code):
            meanings += [(ours, rank, code) for ours, rank in _MEANINGS.get(base, ()) if ours in _TEXTS]
    return meanings or [(ours, rank, "") for ours, rank in _qualified_meanings(column) if ours not in {*taken, *own}]


def _qualified_meanings(column: str) -> Iterator[tuple[str, int]]:
    """The fields named by a part of a name: `Assignee/Applicant`, `IPC - Current`, `First Author`."""
    for part in _ALTERNATIVES.split(column):
        words = fold(part).split()
        plain = " ".join(word for word in words if word not in _QUALIFIERS)
        for ours, rank in _MEANINGS.get(" ".join(words), ()) or _MEANINGS.get(plain, ()):
            if ours in field_names.FIELD_NAMES:
                yield ours, rank + _QUALIFIED


def refine(layout: Layout, rows: Sequence[Sequence[Any]], names: FieldNames) -> Layout:
    """The layout with what the rows show: columns without a known name, the order of day and month in dates.

    Raises `DocumentError` if the order cannot be decided.
    """
    fields = {**layout.fields}
    if not fields.keys() & {"doc_id", "number", *_OF_ARTICLES} or not fields.keys() & {*_TEXTS}:
        fields = _by_content(layout, rows)
    if "number" in fields and "number" not in names and not _are_numbers(layout, fields, rows):
        fields.setdefault("doc_id", fields["number"])  # `number` may be that of an issue
        del fields["number"]
    if fields.keys() & {*_OF_ARTICLES}:  # a `Citation` is that of the article
        fields.pop("citations", None)
    for ours in _TEXTS:  # `Full Text` of The Lens says whether there is one
        if (
            rows
            and ours in fields
            and all(str(row[at]).strip().casefold() in _FLAGS for row in rows for _, at in fields[ours])
        ):
            del fields[ours]
    orders: dict[int, DateOrder] = {}
    given: DateOrder | None = {"day": "day", "month": "month"}.get(names.get(field_names.DATES, ""))  # type: ignore[assignment]
    for ours in _DATES:
        for _, at in fields.get(ours, ()):
            orders[at] = find_order([str(row[at]) for row in rows if at < len(row)])
    decided = given or next((order for order in orders.values() if order in ("day", "month")), None)
    for at, order in orders.items():
        if order == "unknown" and decided is None:
            example = next(str(row[at]) for row in rows if find_order([str(row[at])]) == "unknown")
            how = advise(f'names={{"{field_names.DATES}": "day"}}', f"--field {field_names.DATES}=day")
            raise DocumentError(
                f"column {printable(layout.columns[at])!r}: dates such as {printable(example, 20)} "
                f"may begin with the day or"
                f" the month; say {how} or {field_names.DATES}=month"
            )
        orders[at] = decided if order == "unknown" and decided is not None else order
    return Layout(layout.columns, fields, layout.paths, layout.source, orders)


def _are_numbers(
    layout: Layout, fields: Mapping[str, tuple[tuple[str, int], ...]], rows: Sequence[Sequence[Any]]
) -> bool:
    """Whether the column of numbers holds those of patents, or there is a country for them."""
    if "country" in fields or layout.source is not None:
        return True
    ((_, at), *_) = fields["number"]
    cells = [str(row[at]).strip() for row in rows if str(row[at]).strip()]
    return not cells or _share(cells, is_number) >= 0.5


_SHARE = 0.8
"""The share of the cells of a column that must look like a number for the column to be one of numbers."""


def _by_content(layout: Layout, rows: Sequence[Sequence[Any]]) -> dict[str, tuple[tuple[str, int], ...]]:
    """Columns recognised by what is in them, where names do not say which is the number or the text."""
    fields = {**layout.fields}
    used = {at for places in fields.values() for _, at in places}
    lengths: dict[int, float] = {}
    for at in range(len(layout.columns)):
        cells = [str(row[at]).strip() for row in rows if at < len(row) and str(row[at]).strip()]
        if at in used or not cells:
            continue
        if not fields.keys() & {"number", "doc_id"} and _share(cells, is_number) >= _SHARE:
            fields["number"] = (("", at),)
        elif "ipc" not in fields and _share(cells, lambda cell: _CLASS.match(cell) is not None) >= _SHARE:
            fields["ipc"] = (("", at),)
        elif _share(cells, lambda cell: (" " in cell or not cell.isascii()) and not is_number(cell)) >= 0.5:
            lengths[at] = sum(len(cell) * (3 if _IDEOGRAPH.search(cell) else 1) for cell in cells) / len(cells)
    if not fields.keys() & {"number", "doc_id"} and layout.paths.keys().isdisjoint({"number", "doc_id"}):
        return fields
    texts = [at for at in sorted(lengths) if lengths[at] >= 15]
    if "title" not in fields and (short := [at for at in texts if lengths[at] <= 250]):
        fields["title"] = (("", short[0]),)
        texts.remove(short[0])
    if "abstract" not in fields and (long := [at for at in texts if lengths[at] > 150]):
        fields["abstract"] = (("", long[0]),)
    return fields


def is_number(cell: str) -> bool:
    """Whether a cell is the number of a patent, or several."""
    parts = _split_cell(_shown_text(cell))
    return bool(parts) and (number := PatentNumber.parse_name(parts[0])) is not None and len(number.number) >= 4


def _share(cells: Sequence[str], predicate: Any) -> float:
    return sum(map(bool, map(predicate, cells))) / len(cells)


def guess_layout(rows: Sequence[Sequence[str]], names: FieldNames) -> tuple[Layout, int] | None:
    """The layout of a table, of whose columns one holds numbers of patents and another texts, whatever their names.

    With it the rows of its header: 1, or 0 where the first row is a record.
    """
    header = [cell.strip() for cell in rows[0]]
    is_record = any(map(is_number, header))
    if is_record:
        header = [f"column {number}" for number in range(1, len(header) + 1)]
    body = rows if is_record else rows[1:]
    if not body or max(map(len, header)) > MAX_NAME_LENGTH:
        return None
    layout = match_columns(header, names)
    known = refine(layout, body, {**names, field_names.DATES: "day"}).fields
    return (layout, 0 if is_record else 1) if {"number", "title"} <= known.keys() else None


def is_header(layout: Layout, names: FieldNames, *, strict: bool = False) -> bool:
    """Whether a row that gives this layout is a header; `strict` where it is not at the beginning of the file."""
    texts = [ours for ours in _TEXTS if ours in layout.fields]
    named = any(ours in names and ours in layout.fields for ours in RECORD_FIELDS)
    named |= any(_is_path(layout.columns, path) for path in layout.paths.values())
    identified = layout.fields.keys() & {"doc_id", "number", "doi", "pmid"}
    known = len(layout.fields)
    if strict and known < 3:
        return False
    described = known >= 3 or 2 <= known == len(layout.columns)
    return named or layout.source is not None or (bool(texts) and (bool(identified) or described)) or len(texts) > 1


def _is_path(columns: Sequence[str], path: str) -> bool:
    parts = path.split(field_names.JOIN)
    return all(part.split(field_names.STEP)[0] in columns for part in parts)


def check_layout(layout: Layout, names: FieldNames) -> str:
    """Why a table with this layout cannot be read; empty if it can."""
    named = [column for column in layout.columns if column]
    missing = next((ours for ours, path in layout.paths.items() if not _is_path(layout.columns, path)), None)
    if missing is not None:
        reason = field_names.explain_missing(dict.fromkeys(named), missing, names, "column")
        return f"a table that has {reason}"
    return ""


def missing_fields(columns: Iterable[str], names: FieldNames) -> str:
    """Why a record has no doc_id."""
    return field_names.explain_missing(dict.fromkeys(filter(None, columns)), "doc_id", names, "column")
