package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

			Of version {version}; begin with <<sending>>.

			= The queue

			include::sending.adoc[leveloffset=+1]

			include::errors.adoc[leveloffset=+1]
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

			[source,java]
			----
			queues.send("orders", "a");
			----
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

	private static Path pages;

	@BeforeAll
	static void make() throws IOException {
		Files.createDirectories(folder.resolve("asciidoc/images"));
		Files.createDirectories(folder.resolve("site"));
		Files.writeString(folder.resolve("site/guide.css"), "");
		Files.writeString(folder.resolve("asciidoc/images/chart.svg"), "<svg/>");
		write("index", INDEX);
		write("sending", SENDING);
		write("errors", ERRORS);
		pages = folder.resolve("html");
		GuideMain.make(folder, pages, Map.of("version", "7"));
	}

	@Test
	void makesAPageOfEachChapter() throws IOException {
		Document page = page("errors");
		assertThat(page.title()).isEqualTo("Errors & retries · Guide");
		assertThat(page.select("main h1").text()).isEqualTo("Errors & retries");
		assertThat(page.select("main h2").eachText()).containsExactly("Backoff");
		assertThat(page.select("main h3").eachText()).containsExactly("Jitter");
		assertThat(page.select("nav a[aria-current]").eachText()).containsExactly("Errors & retries");
		assertThat(page.select("nav.neighbours a").eachAttr("href")).containsExactly("sending.html");
	}

	@Test
	void listsTheChaptersOnTheFirstPage() throws IOException {
		Document page = page("index");
		assertThat(page.select("main").text()).contains("Of version 7; begin with Sending.");
		assertThat(page.select("main h2").eachText()).containsExactly("The queue");
		assertThat(page.select("main dt a").eachAttr("href")).containsExactly("sending.html", "errors.html");
		assertThat(page.select("main dd a").eachAttr("href")).containsExactly("sending.html#in-bulk",
				"errors.html#backoff");
	}

	@Test
	void leadsReferencesToThePageThatHasTheirAnchor() throws IOException {
		Element link = page("sending").select("main p a").first();
		assertThat(link).isNotNull();
		assertThat(link.attr("href")).isEqualTo("errors.html#backoff");
		assertThat(link.text()).isEqualTo("Backoff");
		assertThat(page("errors").select("main p a").eachAttr("href")).containsExactly("sending.html");
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
		assertThat(Files.readString(pages.resolve("search-index.js"))).startsWith("window.guideIndex = [")
			.contains(
					"{\"page\":\"sending.html\",\"chapter\":\"Sending\",\"section\":\"\",\"text\":\"Failures are reported")
			.contains("\"section\":\"Backoff\",\"text\":\"See Sending.\"")
			.contains("{\"page\":\"errors.html#jitter\",\"chapter\":\"Errors & retries\",\"section\":\"Jitter\"");
	}

	@Test
	void refusesWhatAsciidoctorWarnsOf() throws IOException {
		write("wrong", "= Wrong\n\ninclude::nowhere.adoc[]\n");
		assertThatExceptionOfType(GuideException.class)
			.isThrownBy(() -> GuideReader.read(folder.resolve("asciidoc/wrong.adoc"), Map.of()))
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
