"""Exports as their sources write them, one of each, written for the tests: other columns, languages, encodings, dates."""

# ruff: noqa: E501, W291 - lines as programs write them

VARIANTS: dict[str, tuple[str, str]] = {
    "lens-a.csv": (
        """\ufeff#,Jurisdiction,Kind,Display Key,Lens ID,Publication Date,Publication Year,Application Number,Application Date,Priority Numbers,Earliest Priority Date,Title,Abstract,Applicants,Inventors,Owners,URL,Document Type,Has Full Text,Cites Patent Count,Cited by Patent Count,Simple Family Size,Extended Family Size,Sequence Count,CPC Classifications,IPCR Classifications,US Classifications,NPL Citation Count,NPL Resolved Citation Count,NPL Resolved Lens ID(s),NPL Resolved External ID(s),NPL Citations,Legal Status
1,EP,B1,EP 1234567 B1,001-234-567-890-123,2011-05-11,2011,EP 08000000 A,2008-02-01,EP 08000000 A,2008-02-01,Pumpe mit Ventil,,KSB AG,MÜLLER ANNA;;MAIER BERT,KSB AG (2011-01-01),https://lens.org/001-234-567-890-123,Granted Patent,no,3,0,2,2,0,F04D29/04;;F04D13/06,F04D29/04,,0,0,,,,Active
2,CN,U,CN 201234567 U,001-234-567-890-124,2010-01-20,2010,,,,,Pump,"A ""pump"", with; valve",,,,https://lens.org/001-234-567-890-124,Limited Patent,no,,,1,1,,,,,,,,,,Expired
3,WO,A1,WO 2010/123456 A1,001-234-567-890-125,2010-10-28,2010,,,,,Pump with valve,A pump.,ACME INC.;;,X Y,,,Patent Application,yes,,,1,1,,,,,,,,,,Unknown
""",
        "utf-8",
    ),
    "lens-b.csv": (
        """Lens ID;Title;Publication Number;Publication Date;Jurisdiction;Kind;Applicants;Simple Family Size\r
001-234-567-890-123;Pumpe;EP 1234567 B1;11.05.2011;EP;B1;KSB AG;2\r
001-234-567-890-124;Pompe;FR 2870627 A1;25.11.2005;FR;A1;;1\r
""",
        "cp1252",
    ),
    "lens-scholar.csv": (
        """Lens ID,Title,Date Published,Publication Year,Publication Type,Source Title,ISSNs,Publisher,Source Country,Author/s,Abstract,Volume,Issue Number,Start Page,End Page,Fields of Study,Keywords,MeSH Terms,Chemicals,Funding,Source URLs,External URL,PMID,DOI,Microsoft Academic ID,PMCID,Citing Patents Count,References,Citing Works Count,Is Open Access,Open Access License,Open Access Colour
001-234-567-890-123,Bricks and moisture,2019-03-01,2019,journal article,Bricks,12345678,Pub,Germany,Anna Müller; Bert Maier,An abstract,3,1,1,9,Physics; Bricks,brick; water,,,,,http://dx.doi.org/10.1000/abc,123456,10.1000/abc,,,0,001-111-111-111-111,0,true,,gold
""",
        "utf-8",
    ),
    "google-a.csv": (
        """search URL:,https://patents.google.com/?q=(pump)&oq=pump
id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,result link,representative figure link
US-9833479-B2,Gene correction,"Sangamo, Inc.","Anna Conway, Gregory J. Cost",2014-07-30,2017-03-14,2017-12-05,2017-12-05,https://patents.google.com/patent/US9833479B2/en,https://x
JP-2010-123456-A,ポンプ,株式会社日立製作所,太郎 山田,2009-01-01,2009-01-01,2010-06-03,,https://patents.google.com/patent/JP2010123456A/en,
DE-102012024722-A1,Verfahren,,,2012-12-18,2012-12-18,2014-06-18,,https://patents.google.com/patent/DE102012024722A1/de,
""",
        "utf-8",
    ),
    "google-b.csv": (
        """search URL:,https://patents.google.com/?q=pump
id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,result link
US-9833479-B2,Gene correction,Sangamo,Anna Conway,30/07/2014,14/03/2017,05/12/2017,05/12/2017,https://patents.google.com/patent/US9833479B2/en
US-9833480-B2,Gene correction two,Sangamo,Anna Conway,30/07/2014,14/03/2017,05/12/2017,05/12/2017,https://patents.google.com/patent/US9833480B2/en
""",
        "utf-16",
    ),
    "espacenet-fr.csv": (
        """Espacenet;;;;;;;;;;;
Recherche de brevets;;;;;;;;;;;
"12 résultats trouvés pour (ctxt any ""pompe"")";;;;;;;;;;;
Résultats 1 à 2 affichés;;;;;;;;;;;
Langue de la recherche : fr;;;;;;;;;;;
Trier par : Pertinence;;;;;;;;;;;
;;;;;;;;;;;
N°;Titre;Abrégé;Inventeurs;Demandeurs;Numéro de publication;Priorité la plus ancienne;CIB;CPC;Date de publication;Publication la plus ancienne;Numéro de famille
1;Pompe à vide;L'invention concerne une pompe.;DUPONT JEAN [FR];SNECMA [FR];"FR2870627A1 
FR2870627B1";2004-05-20;F04D29/04 (2006.01);F04D29/04 (EP,US);"2005-11-25 
2006-08-11";2005-11-25;34945678
2;Pompe;;;;WO2013142934A1;2012-03-27;;;2013-10-03;2013-10-03;45678
""",
        "utf-8",
    ),
    "espacenet-en.csv": (
        """"Espacenet","","","",""
"Patent search","","","",""
"2 results found for ti = pump","","","",""
"","","","",""
"No","Title","Inventors","Applicants","Publication number","Earliest priority","IPC","CPC","Publication date","Earliest publication","Family number"
"1","Pump, with valve","SMITH JOHN [US] DOE JANE [GB]","ACME INC [US]","US2013101709A1","2011-10-24","F04D29/04","F04D29/04 (EP, US)","2013-04-25","2013-04-25","48135"
"2","Pump","","","GB2500000A","2012-01-02","","","2013-09-11","2013-09-11","48136"
""",
        "utf-8",
    ),
    "espacenet-classic2.csv": (
        """Title;Publication number;Publication date;Inventor(s);Applicant(s);International classification;Cooperative Patent Classification;Application number;Date of application;Priority number(s)
PUMP WITH VALVE;US2013101709 (A1);2013-04-25;RADER JEFF [US];PIZZA HUT INC [US];A23L1/00;A23L1/0067;US201213657122 20121022;2012-10-22;US201161550506P 20111024
""",
        "utf-8",
    ),
    "patentscope-en.csv": (
        """,,,,,,,,,
Time:,3/14/2024 10:05:11 AM,,,,,,,,
Query:,EN_TI:pump,,,,,,,,
Sort:,Relevance,,,,,,,,
,,,,,,,,,
Application Id,Application Number,Application Date,Country,Title,Abstract,I P C,Applicants,Inventors,Publication Number,Publication Date,Priorities Data,Image,National Phase Entries
WO2013142934,PCT/BR2013/000094,27.03.2013,WO,PUMP WITH VALVE,A pump,F04D 29/04; F04D 13/06,ACME INC.,RADER JEFF; DOE JANE,WO/2013/142934,03.10.2013,"US 61/550,506 24.10.2011",,EP-2013111111
EP12345678,08000000,01.02.2008,EP,PUMPE,Eine Pumpe,F04D 29/04,KSB AG,MÜLLER ANNA,1234567,11.05.2011,,,
US73535353,13657122,22.10.2012,US,PUMP,A pump,F04D 29/04,PIZZA HUT,RADER JEFF,20130101709,25.04.2013,,,
JP12121212,2008123456,09.05.2008,JP,ポンプ,,F04D 29/04,,,2009123456,04.06.2009,,,
""",
        "utf-8",
    ),
    "patentscope-fr.csv": (
        """,,,,,
Heure:,14.03.2024 10:05:11,,,,
Requête:,FR_TI:pompe,,,,
,,,,,
Identifiant de la demande,Numéro de la demande,Date de la demande,Pays,Titre,CIB
WO2013142934,PCT/BR2013/000094,27.03.2013,WO,POMPE,C12P 7/06; C12P 7/10
FR98989898,0406060,04.06.2004,FR,POMPE A VIDE,F04D 29/04
""",
        "utf-8",
    ),
    "patentscope.xls.html": (
        """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body>
<table border="1"><tr><td colspan="6">Query: EN_TI:pump</td></tr>
<tr><th>Application Id</th><th>Application Number</th><th>Application Date</th><th>Country</th><th>Title</th><th>I P C</th></tr>
<tr><td>WO2013142934</td><td>PCT/BR2013/000094</td><td>27.03.2013</td><td>WO</td><td>PUMP &amp; VALVE<br>second</td><td>C12P 7/06; C12P 7/10</td></tr>
<tr><td>EP12345678</td><td>08000000</td><td>01.02.2008</td><td>EP</td><td>PUMPE</td><td>F04D 29/04</td></tr>
</table></body></html>""",
        "utf-8",
    ),
    "spreadsheetml.xls": (
        """<?xml version="1.0" encoding="UTF-8"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="ResultSet"><Table>
<Row><Cell><Data ss:Type="String">Query: pump</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">Application Id</Data></Cell><Cell><Data ss:Type="String">Application Number</Data></Cell><Cell><Data ss:Type="String">Country</Data></Cell><Cell><Data ss:Type="String">Title</Data></Cell><Cell><Data ss:Type="String">I P C</Data></Cell><Cell><Data ss:Type="String">Application Date</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">WO2013142934</Data></Cell><Cell ss:Index="3"><Data ss:Type="String">WO</Data></Cell><Cell><Data ss:Type="String">PUMP</Data></Cell><Cell><Data ss:Type="String">C12P 7/06</Data></Cell><Cell><Data ss:Type="DateTime">2013-03-27T00:00:00.000</Data></Cell></Row>
</Table></Worksheet></Workbook>""",
        "utf-8",
    ),
    "depatisnet.csv": (
        """Trefferliste vom 12.03.2024;;;;;;
Recherche: ti=pumpe;;;;;;

Veröffentlichungsnummer;Anmeldedatum;Veröffentlichungsdatum;Anmelder;Erfinder;Titel;IPC-Hauptklasse;IPC-Nebenklassen
DE102012024722A1;18.12.2012;18.06.2014;Pumpen GmbH, 80331, München, DE;Müller, Anna, 80331, München, DE;[DE] Verfahren [EN] Method;F04D 29/04 (2006.01);F04D 13/06 (2006.01)
EP000001234567B1;01.02.2008;11.05.2011;KSB AG, DE;;Pumpe;F04D 29/04;
DE000010012345A1;14.03.2000;20.09.2001;;;Ziegel;;
""",
        "cp1252",
    ),
    "ppubs.csv": (
        """"Result #","Document/Patent number","Display","Title","Inventor name","Publication date","Pages"
"1","US-20230012345-A1","","Pump with valve","Rader; Jeff","2023-01-12","12"
"2","US-9833479-B2","","Gene correction","Conway; Anthony et al.","2017-12-05","90"
""",
        "utf-8",
    ),
    "derwent.csv": (
        """Search Query: CTB=(pump)
"Publication Number","Title","Title - DWPI","Abstract","Assignee/Applicant","Inventor","Publication Date","Application Number","Priority Date - Earliest","IPC - Current","CPC - Current","INPADOC Family ID","DWPI Family Members"
"US9833479B2","Gene correction","Gene correction novel","Text","Sangamo | Other Inc.","Conway A. | Cost G.","2017-12-05","US15458258A","2014-07-30","C12N 9/22 | A61K 35/28","C12N 9/22","123456","US9833479B2 | EP3000000A1"
""",
        "utf-8",
    ),
    "patsnap.csv": (
        """"Publication Number","Title","Abstract","Application Date","Publication Date","Current Assignee","Original Assignee","Inventor","IPC","CPC","Simple Family","Legal Status"
"US9833479B2","Gene correction","Text","2017-03-14","2017-12-05","Sangamo","Sangamo","Conway","C12N9/22 | A61K35/28","","US9833479B2 | WO2016000000A1","Active"
""",
        "utf-8",
    ),
    "orbit.tsv": (
        """Publication numbers	Title	Abstract	Current assignees	Earliest priority date	Publication dates	Inventors	IPC	Family number
US9833479 B2	Gene correction	Text	SANGAMO	2014-07-30	2017-12-05	CONWAY	C12N-009/22	FA1
EP3000000 A1 ; WO2016000000 A1	Pump	Text	ACME	2015-01-02	2016-03-30	X	F04D-029/04	FA2
""",
        "utf-8",
    ),
    "plain-es.csv": (
        """Nº de publicación,Título,Resumen,Solicitante,Inventor,Fecha de publicación,CIP
ES2403013T3,Bomba con válvula,La bomba,ACME SL,García José,13/05/2013,F04D 29/04
ES2403014T3,Bomba,,ACME SL,,02/03/2013,F04D 29/04
""",
        "utf-8",
    ),
    "plain-pt.tsv": (
        """Número da publicação	Título	Resumo	Depositante	Inventor	Data da publicação
BR102012032807A2	Sistema	O sistema	Petrobras	Silva	16/09/2014
""",
        "utf-8",
    ),
    "number-title-noheader.csv": (
        """EP1234567A1;Pumpe mit Ventil und Kolben
US9833479B2;Gene correction of SCID genes
WO2013142934A1;System and method
""",
        "utf-8",
    ),
    "number-title.csv": (
        """Dokument;Bezeichnung der Erfindung;Bemerkung
EP1234567A1;Pumpe mit Ventil und Kolben;gut
US9833479B2;Gene correction of SCID genes;
""",
        "utf-8",
    ),
    "claims.csv": (
        """pn,ti,ab,clms
EP1234567A1,Pump,A pump,"1. A pump. 2. The pump of claim 1."
""",
        "utf-8",
    ),
    "jp.csv": (
        """文献番号,発明の名称,出願人,公開日
JP2010123456A,ポンプ装置および方法,株式会社日立,2010/06/03
JP2010123457A,ポンプ装置,株式会社日立,2010/06/03
""",
        "utf-8-sig",
    ),
    "sep.csv": (
        """sep=;\r
Publication Number;Title\r
EP1234567A1;Pump\r
""",
        "utf-8",
    ),
    "blankcols.csv": (
        """,,Publication Number,,Title,,
,,EP1234567A1,,Pump,,
,,EP1234568A1,,Pump two,,
""",
        "utf-8",
    ),
    "dupcols.csv": (
        """Publication Number,Title,Title,Abstract
EP1234567A1,Pump,Pumpe,text
""",
        "utf-8",
    ),
    "totals.csv": (
        """Publication Number,Title
EP1234567A1,Pump
EP1234568A1,Pump two

Total: 2
Exported by tool
""",
        "utf-8",
    ),
    "shortrows.csv": (
        """Publication Number,Title,Abstract,Applicants
EP1234567A1,Pump
EP1234568A1,Pump two,Text
EP1234569A1,Pump three,Text,ACME,extra
""",
        "utf-8",
    ),
    "scopus.csv": (
        """\ufeff"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Issue","Art. No.","Page start","Page end","Page count","Cited by","DOI","Link","Abstract","Author Keywords","Index Keywords","Document Type","Publication Stage","Open Access","Source","EID"
"Müller A.; Maier B.","Müller, Anna (123); Maier, Bert (124)","123; 124","Moisture in bricks","2019","Bricks","3","1","","1","9","","12","10.1000/abc","https://www.scopus.com/inward/record.uri?eid=2-s2.0-1","An abstract. © 2019","brick; water","Moisture","Article","Final","","Scopus","2-s2.0-1"
"[No author name available]","","","Bricks again","2020","Bricks","3","1","","","","","0","","https://x","[No abstract available]","","","Article","Final","","Scopus","2-s2.0-2"
""",
        "utf-8",
    ),
    "wos.txt": (
        """PT	AU	BA	BE	GP	AF	BF	CA	TI	SO	SE	BS	LA	DT	CT	CY	CL	SP	HO	DE	ID	AB	C1	RP	EM	RI	OI	FU	FX	CR	NR	TC	Z9	U1	U2	PU	PI	PA	SN	EI	BN	J9	JI	PD	PY	VL	IS	PN	SU	SI	MA	BP	EP	AR	DI	D2	EA	PG	WC	SC	GA	UT	PM	OA	HC	HP	DA
J	Müller, A; Maier, B				Müller, Anna; Maier, Bert			Moisture in "bricks	BRICKS			English	Article						brick; water	WATER	An abstract									3	4	4	0	0	PUB			1234-5678			BRICKS	Bricks	MAR	2019	3	1					1	9		10.1000/abc			9	Physics	Physics	AA1	WOS:000123	12345				2024-01-01	
""",
        "utf-16",
    ),
    "wos-plain.txt": (
        """\ufeffFN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Muller, A
   Maier, B
AF Muller, Anna
   Maier, Bert
TI Moisture in
   bricks
SO BRICKS
LA English
DT Article
DE brick; water
AB An abstract
   over lines
PY 2019
DI 10.1000/abc
UT WOS:000123
PM 12345
ER

PT J
AU X, Y
TI Second
PY 2018
UT WOS:000124
ER

EF
""",
        "utf-8",
    ),
    "covidence.csv": (
        """Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession Number,DOI,Ref,Covidence #,Study,Notes,Tags
Moisture in bricks,"Müller, A.; Maier, B.",An abstract,2019,Mar,Bricks,3,1,1-9,,10.1000/abc,1,#12,Müller 2019,"Included by Anna","x"
Second,,Other,2018,,Bricks,,,,,,2,#13,X 2018,,
""",
        "utf-8",
    ),
    "rayyan.csv": (
        """key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,location,abstract,notes,pmc_id,pubmed_id
rayyan-1,Moisture in bricks,2019,3,1,Bricks,1234-5678,3,1,1-9,"Müller, A. and Maier, B.",http://x,eng,Pub,,An abstract,"RAYYAN-INCLUSION: {""Anna""=>""Included"", ""Bert""=>""Included""} | RAYYAN-LABELS: a,b",,12345
rayyan-2,Second,2018,,,Bricks,,,,,,,,,,Other,"RAYYAN-INCLUSION: {""Anna""=>""Excluded""} | RAYYAN-EXCLUSION-REASONS: wrong population",,
rayyan-3,Third,2018,,,Bricks,,,,,,,,,,Other text,"RAYYAN-INCLUSION: {""Anna""=>""Maybe""}",,
""",
        "utf-8",
    ),
    "rayyan2.csv": (
        """key,title,authors,journal,issn,volume,issue,pages,year,publisher,url,abstract,notes,doi,keywords,RAYYAN-INCLUSION
rayyan-1,Moisture in bricks,"Müller, A.",Bricks,,,,,2019,,,An abstract,,10.1000/abc,brick,"{""Anna""=>""Included""}"
""",
        "utf-8",
    ),
    "asreview.csv": (
        """record_id,label,title,abstract,authors,year,doi,asreview_label,asreview_time,asreview_note,asreview_prior,asreview_ranking
0,,Moisture in bricks,An abstract,"Müller, A.; Maier, B.",2019,10.1000/abc,1,2024-01-01 10:00:00,good,1,1
1,,Second,Other,,2018,,0,2024-01-01 10:00:00,,0,2
2,,Third,Other text,,2018,,,,,,3
""",
        "utf-8",
    ),
    "asreview1.csv": (
        """record_id,title,abstract,authors,keywords,included,asreview_ranking
0,Moisture in bricks,An abstract,"['Müller, A.', 'Maier, B.']","['brick', 'water']",1,1
1,Second,Other,,,0,2
2,Third,Other text,,,-1,3
""",
        "utf-8",
    ),
    "zotero.csv": (
        """\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","ISSN","DOI","Url","Abstract Note","Date","Date Added","Date Modified","Access Date","Pages","Num Pages","Issue","Volume","Number Of Volumes","Journal Abbreviation","Short Title","Series","Series Number","Series Text","Series Title","Publisher","Place","Language","Rights","Type","Archive","Archive Location","Library Catalog","Call Number","Extra","Notes","File Attachments","Link Attachments","Manual Tags","Automatic Tags","Editor","Series Editor","Translator","Contributor","Attorney Agent","Book Author","Cast Member","Commenter","Composer","Cosponsor","Counsel","Interviewer","Producer","Recipient","Reviewed Author","Scriptwriter","Words By","Guest","Number","Edition","Running Time","Scale","Medium","Artwork Size","Filing Date","Application Number","Assignee","Issuing Authority","Country"
"ABCD1234","journalArticle","2019","Müller, Anna; Maier, Bert","Moisture in bricks","Bricks","","1234-5678","10.1000/abc","http://x","An abstract","2019-03-01","2024-01-01 10:00:00","2024-01-01 10:00:00","","1-9","","1","3","","","","","","","","","","en","","","","","","","PMID: 12345","","","","brick; water","","","","","","","","","","","","","","","","","","","","","","","","","","","","","",""
"PAT00001","patent","2013","Rader, Jeff","Pump with valve","","","","","http://y","A pump","2013-04-25","2024-01-01 10:00:00","2024-01-01 10:00:00","","","","","","","","","","","","","","","en","","","","","","","","","","","","","","","","","","","","","","","","","","","","","","","US20130101709A1","","","","","","2012-10-22","13/657,122","Pizza Hut","USPTO","United States"
""",
        "utf-8",
    ),
    "pubmed.csv": (
        """PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI
12345,"Moisture in bricks","Müller A, Maier B.","Bricks. 2019 Mar;3(1):1-9. doi: 10.1000/abc.","Müller A",Bricks,2019,2019/03/01,PMC1,,10.1000/abc
12346,Second,X Y.,Bricks. 2018.,X Y,Bricks,2018,2018/12/31,,,
""",
        "utf-8",
    ),
    "ieee.csv": (
        """"Document Title",Authors,"Author Affiliations","Publication Title",Date Added To Xplore,"Publication Year","Volume","Issue","Start Page","End Page","Abstract","ISSN",ISBNs,"DOI",Funding Information,PDF Link,"Author Keywords","IEEE Terms","Mesh_Terms",Article Citation Count,Patent Citation Count,Reference Count,License,Online Date,Issue Date,"Meeting Date","Publisher",Document Identifier
"Moisture in bricks","A. Müller; B. Maier","X; Y","Bricks Conf","1 Jan 2020","2019","3","1","1","9","An abstract","1234-5678","","10.1109/abc","","https://x","brick;water","Moisture","","3","","2","IEEE","","1 Mar 2019","","IEEE","IEEE Conferences"
""",
        "utf-8",
    ),
    "ebsco.csv": (
        """"Article Title","Author","Journal Title","ISSN","ISBN","Publication Date","Volume","Issue","First Page","Page Count","Accession Number","DOI","Publisher","Doctype","Subjects","Keywords","Abstract","PLink"
"Moisture in bricks","Müller, A.; Maier, B.","Bricks","12345678","","20190301","3","1","1","9","135791113","10.1000/abc","Pub","Article","BRICKS","brick","An abstract","http://search.ebscohost.com"
""",
        "utf-8",
    ),
    "dimensions.csv": (
        """"About the data: Exported on Mar 14, 2024. Criteria: 'pump' in full data."
Rank,Publication ID,DOI,PMID,PMCID,Title,Abstract,Acknowledgements,Funding,Source title,Anthology title,Publisher,ISSN,MeSH terms,Publication date,PubYear,Volume,Issue,Pagination,Open Access,Publication Type,Authors
500,pub.1234567,10.1000/abc,12345,,Moisture in bricks,An abstract,,,Bricks,,Pub,1234-5678,,2019-03-01,2019,3,1,1-9,,Article,"Müller, Anna; Maier, Bert"
""",
        "utf-8",
    ),
    "proquest.csv": (
        """Title,Abstract,StoreId,ArticleType,Authors,copyright,documentFeatures,documentType,entryDate,issn,language,pages,placeOfPublication,pubdate,pubtitle,year,DocumentURL,classification,identifierKeywords,subjectTerms,subjects,Database
"Moisture in bricks","An abstract","12345","Journal","Müller, A; Maier, B","c","","Article","2019-03-01","1234-5678","English","1-9","","Mar 2019","Bricks","2019","http://search.proquest.com/docview/12345","","brick","","Bricks","ProQuest"
""",
        "utf-8",
    ),
    "cochrane.csv": (
        """"Cochrane Review ID","Author(s)","Title","Source","Year","Issue","Publisher","ISSN","DOI","Abstract"
"CD001234","Müller A, Maier B","Moisture in bricks","Cochrane Database of Systematic Reviews","2019","3","John Wiley","1465-1858","10.1002/14651858.CD001234","An abstract"
""",
        "utf-8",
    ),
    "openalex.csv": (
        """id,doi,title,abstract,publication_year,authorships.author.display_name,primary_location.source.display_name,label_included
https://openalex.org/W123,https://doi.org/10.1000/abc,Moisture in bricks,An abstract,2019,Anna Müller|Bert Maier,Bricks,1
https://openalex.org/W124,,Second,Other,2018,,,0
""",
        "utf-8",
    ),
    "german-ref.csv": (
        """Autor;Titel;Jahr;Zeitschrift;Zusammenfassung;DOI;Eingeschlossen
Müller, Anna;Feuchte in Ziegeln;2019;Ziegel;Ein Text;10.1000/abc;ja
Maier, Bert;Ziegel;2018;Ziegel;Noch ein Text;;nein
""",
        "cp1252",
    ),
    "label-inclusion.csv": (
        """id,title,abstract,INCLUSION
1,Moisture in bricks,An abstract,Included
2,Second,Other,Excluded
3,Third,More,Undecided
""",
        "utf-8",
    ),
    "endnote.ris": (
        """TY  - JOUR\r
AU  - Müller, Anna\r
AU  - Maier, Bert\r
DA  - 2019/03/01\r
DO  - 10.1000/abc\r
IS  - 1\r
KW  - brick\r
water\r
LA  - eng\r
M1  - 3\r
N1  - 1234-5678\r
Müller, Anna\r
Journal Article\r
PY  - 2019\r
SP  - 1-9\r
ST  - Moisture in bricks\r
T2  - Bricks\r
TI  - Moisture in bricks: a study\r
AB  - An abstract\r
UR  - https://x\r
VL  - 3\r
ID  - 17\r
ER  - \r
\r
\r
""",
        "utf-8-sig",
    ),
    "ovid.ris": (
        """TY  - JOUR
ID  - 30123456
T1  - Moisture in bricks. [Review]
A1  - Muller, Anna
A1  - Maier, Bert
Y1  - 2019//
N2  - BACKGROUND: text. METHODS: text.
KW  - *Bricks
KW  - Water
JF  - Bricks
JA  - Bricks
VL  - 3
IS  - 1
SP  - 1
EP  - 9
CY  - Germany
UR  - http://ovidsp.ovid.com/ovidweb.cgi?T=JS&CSC=Y&NEWS=N&PAGE=fulltext&D=med16&AN=30123456
N1  - Using Smart Source Parsing
ER  -  

TY  - JOUR
ID  - 30123457
T1  - Second
A1  - X, Y
Y1  - 2018//May
N2  - Other
ER  -  
""",
        "utf-8",
    ),
    "proquest.ris": (
        """TY  - JOUR
T1  - Moisture in bricks
AN  - 12345; 67890
AB  - An abstract
AU  - Muller, Anna
A2  - Editor, E
PY  - 2019
Y1  - Mar 2019
JF  - Bricks
JO  - Bricks
VL  - 3
IS  - 1
SN  - 1234-5678
UR  - https://search.proquest.com/docview/12345?accountid=1
L2  - http://x?title=Moisture&doi=10.1000/abc
N2  - An abstract
ER  -

""",
        "utf-8",
    ),
    "scopus.ris": (
        """TY  - JOUR
TI  - Moisture in bricks
T2  - Bricks
J2  - Bricks
VL  - 3
IS  - 1
PY  - 2019
DO  - 10.1000/abc
AU  - Müller, A.
AU  - Maier, B.
AD  - Uni
UR  - https://www.scopus.com/inward/record.uri?eid=2-s2.0-1&doi=10.1000%2fabc&partnerID=40
AB  - An abstract
KW  - brick
N1  - Export Date: 14 March 2024; Cited By: 12
M3  - Article
DB  - Scopus
LB  - Müller2019
ER  -

""",
        "utf-8",
    ),
    "wos.ris": (
        """TY  - JOUR
AU  - Muller, A
TI  - Moisture in bricks
T2  - BRICKS
LA  - English
PY  - 2019
DA  - MAR
DO  - 10.1000/abc
AN  - WOS:000123
AB  - An abstract
ER  - 
EF  - 
""",
        "utf-8",
    ),
    "pubmed.nbib": (
        """PMID- 12345
OWN - NLM
STAT- MEDLINE
DCOM- 20190401
IS  - 1234-5678 (Electronic)
VI  - 3
IP  - 1
DP  - 2019 Mar
TI  - Moisture in bricks: a study of
      walls.
PG  - 1-9
LID - S1234-5678(19)30001-1 [pii]
LID - 10.1000/abc [doi]
AB  - BACKGROUND: text
      more.
FAU - Müller, Anna
AU  - Müller A
LA  - eng
PT  - Journal Article
JT  - Bricks
MH  - *Bricks
MH  - Water
SO  - Bricks. 2019 Mar;3(1):1-9. doi: 10.1000/abc.

PMID- 12346
TI  - [Second].
DP  - 2018 Winter
AU  - X Y
TT  - Zweite.
LA  - ger
SO  - Bricks. 2018
""",
        "utf-8",
    ),
    "embase.ris": (
        """TY  - JOUR
M3  - Article
Y1  - 2019
VL  - 3
IS  - 1
SP  - 1
EP  - 9
JF  - Bricks
UR  - http://www.embase.com/search/results?subaction=viewrecord&from=export&id=L1
UR  - http://dx.doi.org/10.1000/abc
KW  - brick
LA  - English
T1  - Moisture in bricks
A1  - Müller A.
A1  - Maier B.
N2  - An abstract
AN  - L1
U2  - L1
DO  - 10.1000/abc
ER  -

""",
        "utf-8",
    ),
    "rayyan.ris": (
        """TY  - JOUR
AN  - rayyan-1
TI  - Moisture in bricks
Y1  - 2019
AU  - Müller, A
AB  - An abstract
N1  - RAYYAN-INCLUSION: {"Anna"=>"Included"} | RAYYAN-LABELS: a
ER  -
""",
        "utf-8",
    ),
    "covidence.ris": (
        """TY  - JOUR
TI  - Moisture in bricks
AU  - Müller, A.
PY  - 2019
DO  - 10.1000/abc
AB  - An abstract
ID  - #12
ER  -
""",
        "utf-8",
    ),
    "patent.ris": (
        """TY  - PAT
TI  - Pump with valve
AU  - Rader, Jeff
PY  - 2013
DA  - 2013/04/25/
M1  - US20130101709A1
A3  - Pizza Hut
PB  - Pizza Hut Inc
UR  - https://patents.google.com/patent/US20130101709A1/en
AB  - A pump
ER  -

TY  - PAT
T1  - Pumpe
A1  - Müller
Y1  - 2011
SN  - EP1234567B1
ER  -
""",
        "utf-8",
    ),
    "nospace.ris": (
        """TY - JOUR
TI - Moisture in bricks
AU - Müller, A.
PY - 2019
ER -
TY - JOUR
TI - Second
ER -
""",
        "utf-8",
    ),
    "refer.enw": (
        """%0 Journal Article
%A Müller, Anna
%A Maier, Bert
%D 2019
%T Moisture in bricks
%J Bricks
%V 3
%R 10.1000/abc
%X An abstract
%K brick
water
%U https://x
%G en

%0 Journal Article
%T Second
%D 2018
""",
        "utf-8",
    ),
}
"""Name → text and encoding."""
EXPECTED: dict[str, tuple[tuple[int, int, int], dict[str, object]]] = {
    "lens-a.csv": (
        (3, 0, 0),
        {
            "doc_id": "EP1234567",
            "kinds": ["B1"],
            "ipc": ["F04D 29/04"],
            "cpc": ["F04D 29/04", "F04D 13/06"],
            "priority_date": "2008-02-01",
            "filing_date": "2008-02-01",
            "publication_date": "2011-05-11",
            "applicants": ["KSB AG"],
            "inventors": ["MÜLLER ANNA", "MAIER BERT"],
            "legal_status": [{"text": "Active"}],
            "publication_year": 2011,
        },
    ),
    "lens-b.csv": (
        (2, 0, 0),
        {"doc_id": "EP1234567", "kinds": ["B1"], "publication_date": "2011-05-11", "applicants": ["KSB AG"]},
    ),
    "lens-scholar.csv": (
        (1, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Anna Müller", "Bert Maier"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "google-a.csv": (
        (3, 0, 0),
        {
            "doc_id": "US9833479",
            "kinds": ["B2"],
            "priority_date": "2014-07-30",
            "filing_date": "2017-03-14",
            "publication_date": "2017-12-05",
            "applicants": ["Sangamo, Inc."],
            "inventors": ["Anna Conway", "Gregory J. Cost"],
        },
    ),
    "google-b.csv": (
        (2, 0, 0),
        {
            "doc_id": "US9833479",
            "kinds": ["B2"],
            "priority_date": "2014-07-30",
            "filing_date": "2017-03-14",
            "publication_date": "2017-12-05",
            "applicants": ["Sangamo"],
            "inventors": ["Anna Conway"],
        },
    ),
    "espacenet-fr.csv": (
        (2, 0, 0),
        {
            "doc_id": "FR2870627",
            "kinds": ["A1", "B1"],
            "abstract": {"fr": "L'invention concerne une pompe."},
            "ipc": ["F04D 29/04"],
            "cpc": ["F04D 29/04"],
            "priority_date": "2004-05-20",
            "publication_date": "2005-11-25",
            "applicants": ["SNECMA"],
            "inventors": ["DUPONT JEAN"],
            "family_id": "34945678",
        },
    ),
    "espacenet-en.csv": (
        (2, 0, 0),
        {
            "doc_id": "US20130101709",
            "kinds": ["A1"],
            "ipc": ["F04D 29/04"],
            "cpc": ["F04D 29/04"],
            "priority_date": "2011-10-24",
            "publication_date": "2013-04-25",
            "applicants": ["ACME INC"],
            "inventors": ["SMITH JOHN", "DOE JANE"],
            "family_id": "48135",
        },
    ),
    "espacenet-classic2.csv": (
        (1, 0, 0),
        {
            "doc_id": "US20130101709",
            "kinds": ["A1"],
            "ipc": ["A23L 1/00"],
            "cpc": ["A23L 1/0067"],
            "filing_date": "2012-10-22",
            "publication_date": "2013-04-25",
            "applicants": ["PIZZA HUT INC"],
            "inventors": ["RADER JEFF"],
        },
    ),
    "patentscope-en.csv": (
        (4, 0, 0),
        {
            "doc_id": "WO2013142934",
            "abstract": {"en": "A pump"},
            "ipc": ["F04D 29/04", "F04D 13/06"],
            "filing_date": "2013-03-27",
            "publication_date": "2013-10-03",
            "applicants": ["ACME INC."],
            "inventors": ["RADER JEFF", "DOE JANE"],
        },
    ),
    "patentscope-fr.csv": (
        (2, 0, 0),
        {"doc_id": "WO2013142934", "ipc": ["C12P 7/06", "C12P 7/10"], "filing_date": "2013-03-27"},
    ),
    "patentscope.xls.html": (
        (2, 0, 0),
        {"doc_id": "WO2013142934", "ipc": ["C12P 7/06", "C12P 7/10"], "filing_date": "2013-03-27"},
    ),
    "spreadsheetml.xls": ((1, 0, 0), {"doc_id": "WO2013142934", "ipc": ["C12P 7/06"], "filing_date": "2013-03-27"}),
    "depatisnet.csv": (
        (3, 0, 0),
        {
            "doc_id": "DE102012024722",
            "kinds": ["A1"],
            "ipc": ["F04D 29/04"],
            "filing_date": "2012-12-18",
            "publication_date": "2014-06-18",
            "applicants": ["Pumpen GmbH, 80331, München, DE"],
            "inventors": ["Müller, Anna, 80331, München, DE"],
        },
    ),
    "ppubs.csv": (
        (2, 0, 0),
        {"doc_id": "US20230012345", "kinds": ["A1"], "publication_date": "2023-01-12", "inventors": ["Rader", "Jeff"]},
    ),
    "derwent.csv": (
        (1, 0, 0),
        {
            "doc_id": "US9833479",
            "kinds": ["B2"],
            "abstract": {"en": "Text"},
            "ipc": ["C12N 9/22", "A61K 35/28"],
            "cpc": ["C12N 9/22"],
            "priority_date": "2014-07-30",
            "publication_date": "2017-12-05",
            "applicants": ["Sangamo", "Other Inc."],
            "inventors": ["Conway A.", "Cost G."],
            "family_id": "123456",
        },
    ),
    "patsnap.csv": (
        (1, 0, 0),
        {
            "doc_id": "US9833479",
            "kinds": ["B2"],
            "abstract": {"en": "Text"},
            "ipc": ["C12N 9/22", "A61K 35/28"],
            "filing_date": "2017-03-14",
            "publication_date": "2017-12-05",
            "applicants": ["Sangamo"],
            "inventors": ["Conway"],
            "legal_status": [{"text": "Active"}],
        },
    ),
    "orbit.tsv": (
        (2, 0, 0),
        {
            "doc_id": "US9833479",
            "kinds": ["B2"],
            "abstract": {"en": "Text"},
            "ipc": ["C12N 9/22"],
            "priority_date": "2014-07-30",
            "publication_date": "2017-12-05",
            "applicants": ["SANGAMO"],
            "inventors": ["CONWAY"],
            "family_id": "FA1",
        },
    ),
    "plain-es.csv": (
        (2, 0, 0),
        {
            "doc_id": "ES2403013",
            "kinds": ["T3"],
            "ipc": ["F04D 29/04"],
            "publication_date": "2013-05-13",
            "applicants": ["ACME SL"],
            "inventors": ["García José"],
        },
    ),
    "plain-pt.tsv": (
        (1, 0, 0),
        {
            "doc_id": "BR102012032807",
            "kinds": ["A2"],
            "abstract": {"": "O sistema"},
            "publication_date": "2014-09-16",
            "applicants": ["Petrobras"],
            "inventors": ["Silva"],
        },
    ),
    "number-title-noheader.csv": ((3, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"]}),
    "number-title.csv": ((2, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"]}),
    "claims.csv": ((1, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"], "abstract": {"en": "A pump"}}),
    "jp.csv": ((2, 0, 0), {"doc_id": "JP2010123456", "kinds": ["A"]}),
    "sep.csv": ((1, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"]}),
    "blankcols.csv": ((2, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"]}),
    "dupcols.csv": ((1, 0, 0), {"doc_id": "EP1234567", "kinds": ["A1"], "abstract": {"": "text"}}),
    "totals.csv": ((2, 0, 2), {"doc_id": "EP1234567", "kinds": ["A1"]}),
    "shortrows.csv": ((0, 0, 3), {}),
    "scopus.csv": (
        (2, 0, 0),
        {
            "doc_id": "2-s2.0-1",
            "abstract": {"en": "An abstract. © 2019"},
            "authors": ["Müller A.", "Maier B."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "wos.txt": (
        (1, 0, 0),
        {
            "doc_id": "WOS:000123",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A", "Maier, B"],
            "journal": "BRICKS",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "wos-plain.txt": (
        (2, 0, 0),
        {
            "doc_id": "WOS:000123",
            "abstract": {"en": "An abstract over lines"},
            "authors": ["Muller, A", "Maier, B"],
            "journal": "BRICKS",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "covidence.csv": (
        (2, 0, 0),
        {
            "doc_id": "12",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A.", "Maier, B."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["x"],
        },
    ),
    "rayyan.csv": (
        (3, 0, 0),
        {
            "doc_id": "rayyan-1",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A.", "Maier, B."],
            "journal": "Bricks",
            "publication_year": 2019,
        },
    ),
    "rayyan2.csv": (
        (1, 0, 0),
        {
            "doc_id": "rayyan-1",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick"],
        },
    ),
    "asreview.csv": (
        (3, 0, 0),
        {
            "doc_id": "0",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A.", "Maier, B."],
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "asreview1.csv": (
        (3, 0, 0),
        {
            "doc_id": "0",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A.", "Maier, B."],
            "keywords": ["brick", "water"],
        },
    ),
    "zotero.csv": (
        (2, 0, 0),
        {
            "doc_id": "ABCD1234",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Müller, Anna", "Maier, Bert"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "pubmed.csv": (
        (2, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "authors": ["Müller A", "Maier B."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "ieee.csv": (
        (1, 0, 0),
        {
            "doc_id": "10.1109/abc",
            "abstract": {"en": "An abstract"},
            "authors": ["A. Müller", "B. Maier"],
            "journal": "Bricks Conf",
            "publication_year": 2019,
            "doi": "10.1109/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "ebsco.csv": (
        (1, 0, 0),
        {
            "doc_id": "135791113",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Müller, A.", "Maier, B."],
            "journal": "Bricks",
            "doi": "10.1000/abc",
            "keywords": ["brick"],
        },
    ),
    "dimensions.csv": (
        (1, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Müller, Anna", "Maier, Bert"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "proquest.csv": (
        (1, 0, 0),
        {
            "doc_id": "12345",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A", "Maier, B"],
            "journal": "Bricks",
            "publication_year": 2019,
            "keywords": ["brick"],
        },
    ),
    "cochrane.csv": (
        (1, 0, 0),
        {
            "doc_id": "10.1002/14651858.cd001234",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller A", "Maier B"],
            "journal": "Cochrane Database of Systematic Reviews",
            "publication_year": 2019,
            "doi": "10.1002/14651858.cd001234",
        },
    ),
    "openalex.csv": (
        (2, 0, 0),
        {
            "doc_id": "https://openalex.org/W123",
            "abstract": {"en": "An abstract"},
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "german-ref.csv": (
        (2, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "abstract": {"de": "Ein Text"},
            "authors": ["Müller, Anna"],
            "journal": "Ziegel",
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "label-inclusion.csv": ((3, 0, 0), {"doc_id": "1", "abstract": {"en": "An abstract"}}),
    "endnote.ris": (
        (1, 0, 0),
        {
            "doc_id": "17",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Müller, Anna", "Maier, Bert"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
    "ovid.ris": (
        (2, 0, 0),
        {
            "doc_id": "30123456",
            "abstract": {"en": "BACKGROUND: text. METHODS: text."},
            "authors": ["Muller, Anna", "Maier, Bert"],
            "journal": "Bricks",
            "publication_year": 2019,
            "keywords": ["*Bricks", "Water"],
        },
    ),
    "proquest.ris": (
        (1, 0, 0),
        {
            "doc_id": "12345",
            "abstract": {"en": "An abstract"},
            "publication_date": "2019-03-01",
            "authors": ["Muller, Anna"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "scopus.ris": (
        (1, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A.", "Maier, B."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick"],
        },
    ),
    "wos.ris": (
        (1, 0, 0),
        {
            "doc_id": "WOS:000123",
            "abstract": {"en": "An abstract"},
            "authors": ["Muller, A"],
            "journal": "BRICKS",
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "pubmed.nbib": (
        (2, 0, 0),
        {
            "doc_id": "12345",
            "abstract": {"en": "BACKGROUND: text more."},
            "publication_date": "2019-03-01",
            "authors": ["Müller, Anna"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["*Bricks", "Water"],
        },
    ),
    "embase.ris": (
        (1, 0, 0),
        {
            "doc_id": "L1",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller A.", "Maier B."],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick"],
        },
    ),
    "rayyan.ris": (
        (1, 0, 0),
        {"doc_id": "rayyan-1", "abstract": {"en": "An abstract"}, "authors": ["Müller, A"], "publication_year": 2019},
    ),
    "covidence.ris": (
        (1, 0, 0),
        {
            "doc_id": "12",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, A."],
            "publication_year": 2019,
            "doi": "10.1000/abc",
        },
    ),
    "patent.ris": (
        (2, 0, 0),
        {
            "doc_id": "US20130101709",
            "kinds": ["A1"],
            "abstract": {"en": "A pump"},
            "publication_date": "2013-04-25",
            "applicants": ["Pizza Hut Inc"],
            "inventors": ["Rader, Jeff"],
            "authors": ["Rader, Jeff"],
            "publication_year": 2013,
        },
    ),
    "nospace.ris": ((2, 0, 0), {"doc_id": "nospace-1", "authors": ["Müller, A."], "publication_year": 2019}),
    "refer.enw": (
        (2, 0, 0),
        {
            "doc_id": "10.1000/abc",
            "abstract": {"en": "An abstract"},
            "authors": ["Müller, Anna", "Maier, Bert"],
            "journal": "Bricks",
            "publication_year": 2019,
            "doi": "10.1000/abc",
            "keywords": ["brick", "water"],
        },
    ),
}
"""Name → records kept, merged and rejected, and the fields of the first one."""
