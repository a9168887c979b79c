package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link GuideMain}.
 */
class GuideMainTests {

	private static final String INDEX = """
			= Guide
			:doctype: book
			:idprefix:
			:idseparator: -
			:imagesdir: images

			Of version {redelay-version}; begin with <<sending>>.

			= Learn

			Begin here, with <<sending>>.

			include::sending.adoc[leveloffset=+1]

			[%unfolded]
			= Do: Failures

			include::errors.adoc[leveloffset=+1]

			[weight=0.5]
			= Do: More

			include::keys.adoc[leveloffset=+1]

			[weight=0.25]
			include::limits.adoc[leveloffset=+1]
			""";

	private static final String SENDING = """
			[[sending]]
			= Sending

			Failures are reported in <<backoff>>.

			== In bulk

			All or none.

			[cols="1,1"]
			|===
			|`one` |two
			|===

			image::chart.svg["A chart"]

			image::drawn.svg["A picture"]

			[source,java]
			----
			queues.send("orders", "a");
			----
			""";

	private static final String KEYS = """
			[[keys]]
			= Keys

			In order.
			""";

	private static final String LIMITS = """
			[[limits]]
			= Limits
			:rate: five

			A rate of {rate}, with version
			{redelay-version}; see the <<backoff,waiting
			times>>.

			----
			include::code.txt[]
			a << {rate}
			----
			""";

	private static final String DRAWN = """
			<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" class="guide-picture"><style>:root{}</style><text
			style="fill:var(--ink)" textLength="7">ready</text></svg>
			""";

	private static final String ERRORS = """
			[[errors]]
			= Errors & retries

			What fails comes again.

			== Backoff

			See <<sending>>.

			=== Jitter

			A fifth.
			""";

	@TempDir
	private static Path folder;

	private static Path site;

	private static Path pages;

	@BeforeAll
	static void make() throws IOException {
		Files.createDirectories(folder.resolve("asciidoc/images"));
		Files.createDirectories(folder.resolve("site"));
		Files.writeString(folder.resolve("site/guide.css"), "");
		Files.writeString(folder.resolve("asciidoc/images/chart.svg"), "<svg/>");
		Files.writeString(folder.resolve("asciidoc/images/drawn.svg"), DRAWN);
		Files.writeString(folder.resolve("synonyms.txt"), "# Words\nretry, again => #backoff\n");
		Files.writeString(folder.resolve("asciidoc/code.txt"), "queues.run();\n");
		write("index", INDEX);
		write("sending", SENDING);
		write("errors", ERRORS);
		write("keys", KEYS);
		write("limits", LIMITS);
		site = folder.resolve("html");
		pages = site.resolve("7");
		GuideMain.make(folder, site, folder.resolve("copies"), Map.of("redelay-version", "7"));
	}

	@Test
	void makesAPageOfEachChapter() throws IOException {
		Document page = page("errors");
		assertThat(page.title()).isEqualTo("Errors & retries · Guide");
		assertThat(page.select("main h1").text()).isEqualTo("Errors & retries");
		assertThat(page.select("main h2").eachText()).containsExactly("Backoff");
		assertThat(page.select("main h3").eachText()).containsExactly("Jitter");
		assertThat(page.select("nav a[aria-current]").eachText()).containsExactly("Errors & retries");
		assertThat(page.select(".trail").text()).isEqualTo("Guide Do Failures");
		assertThat(page.select("nav.neighbours a").eachAttr("href")).containsExactly("keys.html");
		assertThat(page("keys").select("nav.neighbours a").eachAttr("href")).containsExactly("errors.html",
				"limits.html");
	}

	@Test
	void hasDoorsOnTheFirstPage() throws IOException {
		Document page = page("index");
		assertThat(page.select("main").text()).contains("Of version 7; begin with Sending.");
		assertThat(page.select(".doors a").eachAttr("href")).startsWith("#door-learn", "sending.html")
			.endsWith("#door-do");
		assertThat(page.select(".doors p").eachText()).containsExactly("Begin here, with Sending.");
		assertThat(page.select("main h2").eachText()).containsExactly("Learn", "Do");
		assertThat(page.select("main h3").eachText()).containsExactly("Failures", "More");
		assertThat(page.select(".chapters > li > a").eachAttr("href")).containsExactly("sending.html", "errors.html",
				"keys.html", "limits.html");
	}

	@Test
	void listsTheSectionsOfWhatIsUnfolded() throws IOException {
		assertThat(page("index").select(".chapters ul a").eachAttr("href")).containsExactly("errors.html#backoff");
	}

	@Test
	void opensTheDoorInTheContents() throws IOException {
		assertThat(page("errors").select(".contents details[open] > summary").eachText()).containsExactly("Do");
		assertThat(page("index").select(".contents details[open] > summary").eachText()).containsExactly("Learn", "Do");
	}

	@Test
	void putsDrawnPicturesIntoThePage() throws IOException {
		Element picture = page("sending").expectFirst("main svg");
		assertThat(picture.attr("viewBox")).isEqualTo("0 0 9 9");
		assertThat(picture.attr("aria-label")).isEqualTo("A picture");
		assertThat(picture.select("style")).isEmpty();
		assertThat(picture.text()).isEqualTo("ready");
	}

	@Test
	void leadsFromTheSiteToTheVersion() throws IOException {
		assertThat(Jsoup.parse(site.resolve("index.html")).expectFirst("a").attr("href")).isEqualTo("7/index.html");
		assertThat(site.resolve("versions.json")).content().contains("{\"version\":\"7\",\"pages\":[\"sending.html\",");
		assertThat(page("errors").select(".version option").text()).isEqualTo("7");
	}

	@Test
	void leadsReferencesToThePageThatHasTheirAnchor() throws IOException {
		Element link = page("sending").select("main .sect1 p a").first();
		assertThat(link).isNotNull();
		assertThat(link.attr("href")).isEqualTo("errors.html#backoff");
		assertThat(link.text()).isEqualTo("Backoff");
		assertThat(page("errors").select("main .sect1 p a").eachAttr("href")).containsExactly("sending.html");
		assertThat(Files.readString(pages.resolve("anchors.js"))).contains("\"sending\":\"sending.html\"")
			.contains("\"jitter\":\"errors.html#jitter\"");
	}

	@Test
	void scrollsWhatMayBeWiderThanAPhone() throws IOException {
		Document page = page("sending");
		assertThat(page.select("meta[name=viewport]").attr("content")).startsWith("width=device-width");
		assertThat(page.select("main table, main img")).hasSize(2);
		assertThat(page.select(".scroll > table, .scroll > img")).hasSize(2);
	}

	@Test
	void asksAnotherServerForNothing() throws IOException {
		for (String name : new String[] { "index", "sending", "errors" }) {
			Document page = page(name);
			assertThat(page.select("[src]").eachAttr("src")).isNotEmpty().noneMatch((source) -> source.contains(":"));
			assertThat(page.select("link").eachAttr("href")).containsExactly("guide.css");
		}
		assertThat(pages.resolve("images/chart.svg")).exists();
	}

	@Test
	void indexesEachSectionForTheSearch() throws IOException {
		assertThat(Files.readString(pages.resolve("search-index.js"))).startsWith("window.guideIndex = {")
			.contains(
					"{\"page\":\"sending.html\",\"anchor\":\"sending\",\"door\":\"Learn\",\"chapter\":\"Sending\",\"section\":\"\",\"text\":\"Failures are reported")
			.contains("\"section\":\"Backoff\",\"text\":\"See Sending.\",\"weight\":1.0,\"code\":\"\"}")
			.contains(
					"{\"page\":\"errors.html#jitter\",\"anchor\":\"jitter\",\"door\":\"Do\",\"chapter\":\"Errors & retries\",\"section\":\"Jitter\"")
			.contains("\"text\":\"In order.\",\"weight\":0.5,\"code\":\"\"}")
			.contains("\"section\":\"\",\"text\":\"A rate of five, with version 7;")
			.contains("\"weight\":0.25,")
			.contains("\"synonyms\":[{\"words\":[\"retry\",\"again\"],\"also\":[],\"anchors\":[\"backoff\"]}]");
		assertThat(pages.resolve("lunr.js")).isNotEmptyFile();
	}

	@Test
	void copiesChaptersForCodeHosts() throws IOException {
		assertThat(folder.resolve("copies/limits.adoc")).content().endsWith("""
				A rate of five, with version
				7; see the link:errors.adoc#backoff[waiting
				times].

				----
				queues.run();
				a << {rate}
				----
				""").contains("link:README.md[All chapters]").doesNotContain(":rate:");
		assertThat(folder.resolve("copies/sending.adoc")).content()
			.startsWith("[[sending]]\n= Sending\n:imagesdir: ../src/docs/asciidoc/images\n")
			.contains("link:errors.adoc#backoff[Backoff]");
		assertThat(folder.resolve("copies/errors.adoc")).content().contains("link:sending.adoc[Sending]");
		assertThat(folder.resolve("copies/README.md")).content()
			.contains(
					"## Learn\n\nBegin here, with Sending.\n\n- [Sending](sending.adoc): Failures are reported in Backoff.\n",
					"### Failures\n\n- [Errors & retries](errors.adoc): What fails comes again.\n  - [Backoff](errors.adoc#backoff)\n");
	}

	@Test
	void refusesToCopyAReferenceWithoutAText() {
		Element body = Jsoup.parseBodyFragment("<h2 id='a'>A</h2><p id='b'>B</p>").body();
		Chapter chapter = new Chapter("a", "A", "", 1, false, body);
		Guide guide = new Guide("Guide", new Element("div"),
				List.of(new Door("Learn", new Element("div"), List.of(chapter))),
				Map.of("a", List.of("[[a]]", "= A", "See <<b>>.")));
		ChapterCopies copies = new ChapterCopies(guide, Links.of(guide.chapters()), Map.of());
		assertThatExceptionOfType(GuideException.class).isThrownBy(() -> copies.write(folder))
			.withMessageContaining("<<b,the text>>");
	}

	@Test
	void refusesAnImageThatIsNotThere() throws IOException {
		Element text = Jsoup.parseBodyFragment("<div class='imageblock'><img src='images/none.svg'></div>").body();
		assertThatExceptionOfType(GuideException.class)
			.isThrownBy(() -> PageBody.shape(text, folder.resolve("asciidoc/images")))
			.withMessage("There is no image images/none.svg.");
	}

	@Test
	void refusesCodeThatWasTakenForMarkup() throws IOException {
		List<String> codes = List.of("#{#id}#", "() -> run()", "csrf((csrf) -> csrf.spa())", "a.**.b.**", "${...}");
		StringBuilder book = new StringBuilder("= Book\n:doctype: book\n\n= Part\n");
		codes
			.forEach((code) -> book.append("\n== Taken\n\n`" + code + "` is.\n\n== Literal\n\n`+" + code + "+` is.\n"));
		write("markup", book.toString());
		List<Chapter> chapters = GuideReader.read(folder.resolve("asciidoc/markup.adoc"), Map.of()).chapters();
		for (int i = 0; i < codes.size(); i++) {
			Element taken = chapters.get(2 * i).body();
			Element literal = chapters.get(2 * i + 1).body();
			assertThatExceptionOfType(GuideException.class).as(codes.get(i))
				.isThrownBy(() -> PageBody.shape(taken, folder.resolve("asciidoc/images")))
				.withMessageStartingWith("This code was taken for markup");
			PageBody.shape(literal, folder.resolve("asciidoc/images"));
			assertThat(literal.select("code").text()).isEqualTo(codes.get(i));
		}
	}

	@Test
	void refusesAMeaningOfASectionThatIsNotThere() {
		SearchIndex index = new SearchIndex(List.of(new Synonyms(List.of("dlq"), List.of(), List.of("none"))));
		assertThatExceptionOfType(GuideException.class).isThrownBy(index::script)
			.withMessage("The synonyms lead to a section that no chapter has, one of none: dlq");
	}

	@Test
	void refusesAVersionThatIsNoFolder() {
		assertThatExceptionOfType(GuideException.class)
			.isThrownBy(() -> GuideMain.make(folder, site, folder.resolve("copies"), Map.of("redelay-version", "../7")))
			.withMessage("The attribute redelay-version names no version: ../7");
	}

	@Test
	void refusesWhatAsciidoctorWarnsOf(@TempDir Path own) throws IOException {
		Path wrong = Files.writeString(own.resolve("wrong.adoc"), "= Wrong\n\ninclude::nowhere.adoc[]\n");
		assertThatExceptionOfType(GuideException.class).isThrownBy(() -> GuideReader.read(wrong, Map.of()))
			.withMessageStartingWith("Asciidoctor warns of:")
			.withMessageContaining("nowhere.adoc");
	}

	private static void write(String chapter, String text) throws IOException {
		Files.writeString(folder.resolve("asciidoc/" + chapter + ".adoc"), text);
	}

	private static Document page(String name) throws IOException {
		return Jsoup.parse(pages.resolve(name + ".html"));
	}

}
