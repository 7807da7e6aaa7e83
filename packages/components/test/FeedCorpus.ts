/** Feeds as they are found on the web, with the items that a reader of feeds gives for them. */

export interface FeedCase {
  /** A sentence's end: a reader takes … */
  readonly name: string
  readonly body: string | Uint8Array
  readonly contentType?: string
  /** What its items must have at least, in any order; `undefined` for what they may not have. */
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly feed?: Readonly<Record<string, unknown>>
}

const utf16 = (text: string, options: { readonly isBig: boolean; readonly hasMark: boolean }) => {
  const bytes = Buffer.from(`${options.hasMark ? "\ufeff" : ""}${text}`, "utf16le")
  return options.isBig ? bytes.swap16() : bytes
}

const rss = (items: string, attributes = "") =>
  `<?xml version="1.0"?><rss version="2.0" ${attributes}><channel><title>News</title>${items}</channel></rss>`

const atom = (entries: string, attributes = "") =>
  `<feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>News</title>${entries}</feed>`

const xhtml = `xmlns="http://www.w3.org/1999/xhtml"`

const greek =
  `<?xml version="1.0" encoding="utf-16"?><rss><channel><item><guid>1</guid><title>Ποταμός é</title></item></channel></rss>`

/** Dates, and the moment that each is. */
const moments = {
  "Wed, 01 Jul 2026 10:00:00 BST": "2026-07-01T09:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 CEST": "2026-07-01T08:00:00.000Z",
  "Sun, 01 Feb 2026 10:00:00 CET": "2026-02-01T09:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 EDT": "2026-07-01T14:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 ist": "2026-07-01T04:30:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 AEST": "2026-07-01T00:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 NZST": "2026-06-30T22:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 Z": "2026-07-01T10:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 XYZ": "2026-07-01T10:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 (CEST)": "2026-07-01T08:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 +0000 (BST)": "2026-07-01T10:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 GMT+2": "2026-07-01T08:00:00.000Z",
  "Wed, 01 Jul 2026 10:00:00 -0000": "2026-07-01T10:00:00.000Z",
  "Wed Jul 01 10:00:00 BST 2026": "2026-07-01T09:00:00.000Z",
  "Wed Jul  1 10:00:00 2026": "2026-07-01T10:00:00.000Z",
  "Mi, 1 Jul 26 10:00 +0200": "2026-07-01T08:00:00.000Z",
  "Wednesday, July 1, 2026 10:00 p.m. PDT": "2026-07-02T05:00:00.000Z",
  "July 1, 2026": "2026-07-01T00:00:00.000Z",
  "01-Jul-2026 10:00": "2026-07-01T10:00:00.000Z",
  "2026-07-01T10:00:00 CEST": "2026-07-01T08:00:00.000Z",
  "2026-07-01T10:00:00.123456+02:00": "2026-07-01T08:00:00.123Z",
  "2026-07-01T10:00:00+0200": "2026-07-01T08:00:00.000Z",
  "2026-07-01T10:00:00": "2026-07-01T10:00:00.000Z",
  "2026-07-01T10:00Z": "2026-07-01T10:00:00.000Z",
  "2026-07-01 10:00:00": "2026-07-01T10:00:00.000Z",
  "20260701T100000Z": "2026-07-01T10:00:00.000Z",
  "2026-07-01": "2026-07-01T00:00:00.000Z",
  "2026-07": "2026-07-01T00:00:00.000Z",
  "1782900000": "2026-07-01T10:00:00.000Z",
  "1782900000123": "2026-07-01T10:00:00.123Z"
}

const formats: ReadonlyArray<FeedCase> = [
  {
    name: "RSS 0.91 with Netscape's document type",
    body: `<?xml version="1.0" encoding="ISO-8859-1"?>
      <!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      <rss version="0.91"><channel><title>News</title><link>http://example.com</link><language>en</language>
      <image><title>Logo</title><url>http://example.com/a.gif</url><link>http://example.com</link></image>
      <item><title>Two</title><link>http://example.com/2</link><description>Second</description></item>
      <item><title>One</title><link>http://example.com/1</link></item>
      <textinput><title>Search</title><name>q</name><link>http://example.com/find</link></textinput></channel></rss>`,
    items: [
      { id: "http://example.com/2", title: "Two", link: "http://example.com/2", summary: "Second" },
      { id: "http://example.com/1", title: "One", link: "http://example.com/1", summary: undefined }
    ],
    feed: { title: "News", link: "http://example.com/" }
  },
  {
    name: "RSS 0.92 with items that have no title and several enclosures",
    body: `<rss version="0.92"><channel><title>News</title>
      <item><description>Only text</description><enclosure url="http://example.com/a.mp3" length="12" type="audio/mpeg"/>
      <enclosure url="http://example.com/b.mp3" length="" type="audio/mpeg"/><enclosure/></item></channel></rss>`,
    items: [{
      title: undefined,
      summary: "Only text",
      enclosures: [
        { url: "http://example.com/a.mp3", type: "audio/mpeg", length: 12 },
        { url: "http://example.com/b.mp3", type: "audio/mpeg" }
      ]
    }]
  },
  {
    name: "RSS 0.90, which is RDF of Netscape's namespace",
    body:
      `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://channel.netscape.com/rdf/simple/0.9/">
      <channel><title>News</title></channel><item><title>One</title><link>http://example.com/1</link></item></r:RDF>`,
    items: [{ id: "http://example.com/1", title: "One" }]
  },
  {
    name: "RSS 1.0 whose own elements have a prefix",
    body: `<rdf:RDF xmlns:rss="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:d="http://purl.org/dc/elements/1.1/"><rss:channel rdf:about="http://example.com/"><rss:title>News</rss:title></rss:channel>
      <rss:item rdf:about="urn:1"><rss:title>One</rss:title><rss:link>http://example.com/1</rss:link>
      <d:creator>Ann</d:creator><d:date>2026-07-01T10:00:00+02:00</d:date><d:subject>water</d:subject></rss:item></rdf:RDF>`,
    items: [{
      id: "urn:1",
      title: "One",
      link: "http://example.com/1",
      author: "Ann",
      published: "2026-07-01T08:00:00.000Z",
      categories: ["water"]
    }]
  },
  {
    name: "RSS 2.0 in a namespace of its own",
    body:
      `<rss version="2.0" xmlns="http://backend.userland.com/rss2"><channel><item><guid>1</guid><title>One</title></item></channel></rss>`,
    items: [{ id: "1", title: "One" }]
  },
  {
    name: "RSS with items beside the channel",
    body:
      `<rss version="2.0"><channel><title>News</title></channel><item><guid>1</guid><title>One</title></item></rss>`,
    items: [{ id: "1", title: "One" }]
  },
  {
    name: "RSS whose names are in other cases",
    body: `<RSS version="2.0"><Channel><Item><GUID isPermalink="false">1</GUID><Title>One</Title>
      <pubdate>Wed, 01 Jul 2026 10:00:00 GMT</pubdate></Item></Channel></RSS>`,
    items: [{ id: "1", title: "One", published: "2026-07-01T10:00:00.000Z", link: undefined }]
  },
  {
    name: "Atom 1.0 with markup in each way",
    body: atom(`<entry><id>3</id><title type="xhtml"><div ${xhtml}>Less: <em> &lt; </em>
        and <b>more</b></div></title><content type="xhtml"><div ${xhtml}>a <b>b</b></div></content></entry>
      <entry><id>2</id><title type="html">&lt;i&gt;AT&amp;amp;T&lt;/i&gt; &amp;eacute;</title>
        <summary type="html">&lt;p&gt;a &amp;amp; b&lt;/p&gt;</summary></entry>
      <entry><id>1</id><title type="html"><![CDATA[Ann&#8217;s <b>boat</b>]]></title></entry>
      <entry><id>0</id><title type="text">1 &lt; 2 &amp;amp; 3</title></entry>`),
    items: [
      { id: "3", title: "Less: < and more", content: `<div ${xhtml}>a <b>b</b></div>` },
      { id: "2", title: "AT&T é", summary: "<p>a &amp; b</p>" },
      { id: "1", title: "Ann’s boat" },
      { id: "0", title: "1 < 2 &amp; 3" }
    ]
  },
  {
    name: "Atom 1.0 with a prefix, and XHTML with another",
    body:
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:x="http://www.w3.org/1999/xhtml"><a:title type="xhtml"><x:div>The <x:b>news</x:b></x:div></a:title>
      <a:link href="http://example.com/"/><a:entry><a:id>1</a:id><a:title type="xhtml"><x:div>a <x:b>b</x:b></x:div></a:title>
      <a:link href="http://example.com/1"/><a:updated>2026-07-01T10:00:00Z</a:updated><a:author><a:name>Ann</a:name></a:author>
      <a:category term="water"/><a:content type="xhtml"><x:div>a <x:b>b</x:b></x:div></a:content></a:entry></a:feed>`,
    items: [{
      id: "1",
      title: "a b",
      link: "http://example.com/1",
      updated: "2026-07-01T10:00:00.000Z",
      author: "Ann",
      categories: ["water"],
      content: "<div>a <b>b</b></div>"
    }],
    feed: { title: "The news", link: "http://example.com/" }
  },
  {
    name: "Atom 1.0 with links of several relations",
    body: atom(
      `<author><name>Ann</name></author><entry><id>1</id><link rel="self" href="http://example.com/self"/>
      <link rel="http://www.iana.org/assignments/relation/alternate" href="http://example.com/1"/>
      <link rel="Enclosure" href="http://example.com/1.mp3" type="audio/mpeg" length="7"/></entry>`
    ),
    items: [{
      link: "http://example.com/1",
      author: "Ann",
      enclosures: [{ url: "http://example.com/1.mp3", type: "audio/mpeg", length: 7 }]
    }]
  },
  {
    name: "Atom 0.3",
    body:
      `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>News</title><link rel="alternate" href="http://example.com/"/>
      <entry><title mode="escaped" type="text/html">a &amp;amp; b</title><id>1</id><issued>2026-07-01T10:00:00Z</issued>
      <modified>2026-07-02T10:00:00Z</modified><link rel="alternate" type="text/html" href="http://example.com/1"/>
      <content type="text/html" mode="base64">aMOpbGxv</content></entry></feed>`,
    items: [{
      id: "1",
      title: "a & b",
      link: "http://example.com/1",
      published: "2026-07-01T10:00:00.000Z",
      updated: "2026-07-02T10:00:00.000Z",
      content: "héllo"
    }]
  },
  {
    name: "JSON Feed with a mark, large ids and what is null",
    body: `\ufeff {"version": "https://jsonfeed.org/version/1", "home_page_url": "/", "items": [null,
      {"id": 9007199254740993, "url": null, "external_url": "/2", "content_text": "two", "author": {"name": "Ann"}, "tags": null},
      {"id": 9007199254740992, "title": "One", "date_published": "2026-07-01T10:00:00 CEST", "attachments": [{"url": "1.mp3", "mime_type": "audio/mpeg"}, {}]}]}`,
    items: [
      { id: "9007199254740993", link: "$origin/2", content: "two", author: "Ann", categories: [] },
      {
        id: "9007199254740992",
        title: "One",
        published: "2026-07-01T08:00:00.000Z",
        enclosures: [{ url: "$origin/1.mp3", type: "audio/mpeg" }]
      }
    ],
    feed: { link: "$origin/" }
  },
  { name: "a feed without items", body: rss(""), items: [] }
]

const texts: ReadonlyArray<FeedCase> = [
  {
    name: "named entities of HTML, numbers, and ampersands that are none",
    body: rss(
      `<item><guid>1</guid><title>Caf&eacute; &amp;amp; &nbsp;&hellip; R&D &unknown; &#233;&#xE9; &#150; &copy</title>
      <link>http://example.com/?a=1&copy=2&amp;b=3</link></item>`
    ),
    items: [{
      title: "Café &amp; \u00a0… R&D &unknown; éé – &copy",
      link: "http://example.com/?a=1&copy=2&b=3"
    }]
  },
  {
    name: "entities that the document declares, but not without bounds",
    body: `<!DOCTYPE rss [<!ENTITY me "Ann &amp; Bob"><!ENTITY big "${"x".repeat(600_000)}">
      <!ENTITY % HTMLlat1 PUBLIC "-//W3C//ENTITIES Latin 1 for XHTML//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml-lat1.ent"> %HTMLlat1;]>
      <rss><channel><item><guid>1</guid><title>&me; &eacute;</title><category>&big;</category><category>&big;</category></item></channel></rss>`,
    items: [{ title: "Ann & Bob é", categories: ["x".repeat(600_000), "&big;"] }]
  },
  {
    name: "CDATA in pieces, and what is in it as it is",
    body: rss(`<item><guid><![CDATA[1]]></guid><title>
      <![CDATA[a &amp; ]]]]><![CDATA[> <b>]]>
      </title><link><![CDATA[http://example.com/?a=1&b=2]]></link><description><![CDATA[<!DOCTYPE html><p>x</p>]]></description></item>`),
    items: [{
      id: "1",
      title: "a &amp; ]]> <b>",
      link: "http://example.com/?a=1&b=2",
      summary: "<!DOCTYPE html><p>x</p>"
    }]
  },
  {
    name: "markup that is not escaped",
    body: rss(
      `<item><guid>1</guid><title>One <b>bold</b> word</title><description>a<br>b <p>c & d</p></description></item>`
    ),
    items: [{ title: "One bold word", summary: "a<br>b <p>c & d</p>" }]
  },
  {
    name: "elements of other namespaces with the names of its own",
    body: rss(
      `<item><media:title>No</media:title><atom:title>No</atom:title><title xmlns="http://search.yahoo.com/mrss/">No</title><title>Yes</title>
      <itunes:author>No</itunes:author><author>Ann</author><atom:link href="/no" rel="self"/><link xmlns="http://www.w3.org/2005/Atom" href="/no"/>
      <link>/yes</link><media:description>No</media:description><description>Yes</description>
      <c:encoded>&lt;p&gt;Yes&lt;/p&gt;</c:encoded><media:content url="/no"><media:description>No</media:description></media:content></item>`,
      `xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
      xmlns:atom="http://www.w3.org/2005/Atom" xmlns:c="http://purl.org/rss/1.0/modules/content/"`
    ),
    items: [{ title: "Yes", author: "Ann", link: "$origin/yes", summary: "Yes", content: "<p>Yes</p>" }]
  },
  {
    name: "prefixes that are declared nowhere",
    body: rss(`<item><guid>1</guid><dc:creator>Ann</dc:creator><content:encoded>text</content:encoded></item>`),
    items: [{ author: "Ann", content: "text" }]
  },
  {
    name: "an Atom link and Atom dates in RSS",
    body: rss(
      `<item><guid isPermaLink="false">1</guid><atom:link href="/1"/><atom:updated>2026-07-01T10:00:00Z</atom:updated></item>`,
      `xmlns:atom="http://www.w3.org/2005/Atom"`
    ),
    items: [{ id: "1", link: "$origin/1", updated: "2026-07-01T10:00:00.000Z" }]
  },
  {
    name: "guids that are links and guids that are none",
    body: rss(["http://example.com/1", "/2", "3", "urn:4"].map((guid) => `<item><guid>${guid}</guid></item>`).join("")),
    items: [
      { id: "http://example.com/1", link: "http://example.com/1" },
      { id: "/2", link: "$origin/2" },
      { id: "3", link: undefined },
      { id: "urn:4", link: undefined }
    ]
  }
]

const places: ReadonlyArray<FeedCase> = [
  {
    name: "xml:base of the feed, an entry and a link, each from the one before",
    body: atom(
      `<link href="."/><entry xml:base="2026/"><id>2</id><link href="2"/><link rel="enclosure" xml:base="/files/" href="2.mp3"/></entry>
      <entry><id>1</id><link href="//example.org/1"/></entry>`,
      `xml:base="http://example.com/blog/"`
    ),
    items: [
      { id: "2", link: "http://example.com/blog/2026/2", enclosures: [{ url: "http://example.com/files/2.mp3" }] },
      { id: "1", link: "http://example.org/1" }
    ],
    feed: { link: "http://example.com/blog/" }
  },
  {
    name: "xml:base that is relative, and one that is nonsense",
    body: rss(
      `<item xml:base="http://["><guid>2</guid><link>2</link></item><item><guid>1</guid><link>1</link></item>`,
      `xml:base="/sub/"`
    ),
    items: [{ link: "2" }, { link: "$origin/sub/1" }]
  },
  {
    name: "links that are relative or no links",
    body: rss(
      ["?a=1", "../up", "//example.org/x", "http://[", "mailto:ann@example.com"].map((link, index) =>
        `<item><guid>${index}</guid><link>\n${link}\n</link></item>`
      ).join("")
    ),
    items: ["$origin/$path?a=1", "$origin/up", "http://example.org/x", "http://[", "mailto:ann@example.com"]
      .map((link) => ({ link }))
  }
]

const encodings: ReadonlyArray<FeedCase> = [
  ...[true, false].flatMap((isBig) =>
    [true, false].flatMap((hasMark) =>
      [undefined, "application/rss+xml; charset=utf-16", "text/xml; charset=utf-8"].map((contentType) => ({
        name: `UTF-16, ${isBig ? "big" : "little"} end first, ${
          hasMark ? "with" : "without"
        } a mark, as ${contentType}`,
        body: utf16(greek, { isBig, hasMark }),
        ...(contentType === undefined ? {} : { contentType }),
        items: [{ title: "Ποταμός é" }]
      }))
    )
  ),
  { name: "UTF-8 that says it is UTF-16", body: greek, items: [{ title: "Ποταμός é" }] },
  {
    name: "UTF-8 with a mark that says it is Latin-1",
    body: `\ufeff${greek.replace("utf-16", "iso-8859-1")}`,
    items: [{ title: "Ποταμός é" }]
  },
  {
    name: "the encoding that XML declares",
    body: Buffer.from(
      rss(`<item><guid>1</guid><title>Né “</title></item>`).replace("?>", ` encoding = 'windows-1252' ?>`).replace(
        "“",
        "\x93"
      ),
      "latin1"
    ),
    items: [{ title: "Né “" }]
  },
  {
    name: "the encoding that the header names, over the document's",
    body: Buffer.from(
      `<?xml version="1.0" encoding="utf-8"?><rss><channel><item><guid>1</guid><title>\xcf\xcb</title></item></channel></rss>`,
      "latin1"
    ),
    contentType: `text/xml; q="a;b"; Charset = "koi8-r"`,
    items: [{ title: "ок" }]
  },
  {
    name: "the document's encoding where it can't be the header's",
    body: Buffer.from(
      rss(`<item><guid>1</guid><title>Né</title></item>`).replace("?>", ` encoding="iso-8859-1"?>`),
      "latin1"
    ),
    contentType: "application/xml; charset=utf-8",
    items: [{ title: "Né" }]
  },
  {
    name: "UTF-8 where the header says ASCII or something unknown",
    body: rss(`<item><guid>1</guid><title>Né</title></item>`),
    contentType: "text/xml; charset=us-ascii",
    items: [{ title: "Né" }]
  },
  {
    name: "the document's encoding where the header's is unknown",
    body: Buffer.from(
      rss(`<item><guid>1</guid><title>Né</title></item>`).replace("?>", ` encoding="iso-8859-1"?>`),
      "latin1"
    ),
    contentType: "text/xml; charset=none",
    items: [{ title: "Né" }]
  }
]

const dates: ReadonlyArray<FeedCase> = [
  {
    name: "dates in many forms",
    body: rss(
      Object.keys(moments).map((date) => `<item><guid>${date}</guid><pubDate>${date}</pubDate></item>`).join("")
    ),
    items: Object.entries(moments).map(([id, published]) => ({ id, published }))
  },
  {
    name: "items without a date and with one that is none, in the order of the document",
    body: rss(`<item><guid>3</guid></item><item><guid>2</guid><pubDate>soon</pubDate></item>
      <item><guid>1</guid><pubDate>Wed, 01 Jul 2026 10:00:00 GMT</pubDate></item>`),
    items: [
      { id: "3", published: undefined },
      { id: "2", published: undefined },
      { id: "1", published: "2026-07-01T10:00:00.000Z" }
    ]
  },
  {
    name: "another date of an item where the first is none",
    body: rss(
      `<item><guid>1</guid><pubDate/><dc:date>2026-07-01</dc:date></item>`,
      `xmlns:dc="http://purl.org/dc/elements/1.1/"`
    ),
    items: [{ published: "2026-07-01T00:00:00.000Z" }]
  }
]

const identities: ReadonlyArray<FeedCase> = [
  {
    name: "items that are there twice",
    body: rss(`<item><guid>1</guid></item><item><guid>1</guid></item>
      <item><link>/a</link><title>A</title></item><item><link>/a</link><title>A</title></item>
      <item><title>B</title></item><item><title>B</title></item>`),
    items: [{ id: "1" }, { title: "A" }, { title: "B" }]
  },
  {
    name: "items without a guid that share one link, told apart by title, date or text",
    body: rss(
      ["<title>A</title>", "<title>B</title>", "<description>C</description>", "<description>D</description>"]
        .map((more) => `<item><link>/</link>${more}</item>`).join("")
    ),
    items: [{ title: "A" }, { title: "B" }, { summary: "C" }, { summary: "D" }]
  },
  {
    name: "items without a guid with one title and one link, told apart by their dates",
    body: rss(
      ["02", "01"].map((day) =>
        `<item><link>/</link><title>Down</title><pubDate>${day} Jul 2026 10:00:00 BST</pubDate></item>`
      ).join("")
    ),
    items: [{ published: "2026-07-02T09:00:00.000Z" }, { published: "2026-07-01T09:00:00.000Z" }]
  },
  {
    name: "items with an id that is empty, and none",
    body: JSON.stringify({
      items: [{ id: "", title: "A" }, { id: "", title: "B" }, { id: null, title: "C" }, { title: "D" }]
    }),
    items: [{ title: "A" }, { title: "B" }, { title: "C" }, { title: "D" }]
  }
]

const malformed: ReadonlyArray<FeedCase> = [
  {
    name: "blank lines and warnings before the document",
    body: `\n\n<br>\n<b>Warning</b>: mysql_connect() in <b>/var/www</b> on line <b>3</b><br>\n${
      rss(`<item><guid>1</guid></item>`)
    }`,
    items: [{ id: "1" }]
  },
  {
    name: "a document that ends in the middle",
    body: `<rss><channel><item><guid>2</guid><title>Two</title></item><item><guid>1</guid><title>One</ti`,
    items: [{ id: "2", title: "Two" }, { id: "1" }]
  },
  {
    name: "tags that are closed in the wrong order or not at all",
    body: rss(
      `<item><guid>2</guid><title><b><i>Two</b></i></title></x></item><item><guid>1</guid><category>a<title>One</title></item>`
    ),
    items: [{ id: "2", title: "Two" }, { id: "1" }]
  },
  {
    name: "attributes without quotes, or twice, and control characters",
    body: rss(`<item><guid isPermaLink=false isPermaLink="true">1</guid><title>a\u0001b</title></item>`),
    items: [{ id: "1", link: undefined, title: "a\u0001b" }]
  },
  {
    name: "comments and instructions anywhere, and what follows the document",
    body: `<?xml-stylesheet href="a.xsl"?><!-- <rss> -->${
      rss(`<!-- <item/> --><item><guid>1<!-- 2 --></guid><?php ?></item>`)
    }<script>1</script>`,
    items: [{ id: "1" }]
  },
  {
    name: "names that objects have",
    body: rss(
      `<item><guid>__proto__</guid><constructor/><title toString="1" __proto__="2" xmlns:__proto__="3">constructor</title></item>`
    ),
    items: [{ id: "__proto__", title: "constructor" }]
  }
]

export const corpus: ReadonlyArray<FeedCase> = [
  ...formats,
  ...texts,
  ...places,
  ...encodings,
  ...dates,
  ...identities,
  ...malformed
]
