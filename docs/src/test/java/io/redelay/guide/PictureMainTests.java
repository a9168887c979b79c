package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PictureMain}.
 */
class PictureMainTests {

	private static final Path SOURCES = Path.of("src/docs/pictures");

	private static final Path PICTURES = Path.of("src/docs/asciidoc/images");

	@Test
	void everyPictureIsDrawnFromItsText() throws IOException {
		assertThat(PictureMain.texts(SOURCES)).hasSizeGreaterThanOrEqualTo(5);
		for (Path source : PictureMain.texts(SOURCES)) {
			Element picture = picture(source);
			assertThat(picture.attr(PictureMain.SOURCE))
				.as("%s is older than its text: ./mvnw -Ppictures -pl docs process-classes", source.getFileName())
				.isEqualTo(PictureMain.fingerprint(SOURCES, source));
		}
	}

	@Test
	void picturesFitAPhone() throws IOException {
		for (Path source : PictureMain.texts(SOURCES)) {
			assertThat(Double.parseDouble(picture(source).attr("width"))).as(source.toString()).isLessThan(420);
		}
	}

	@Test
	void picturesHaveTheColoursOfTheGuide() throws IOException {
		String styles = Files.readString(Path.of("src/docs/site/guide.css"));
		for (Path source : PictureMain.texts(SOURCES)) {
			Element picture = picture(source);
			assertThat(picture.select("[style*=#], [fill*=#], [stroke*=#]")).as(source.toString()).isEmpty();
			assertThat(picture.select("[style*=var]")).as(source.toString()).isNotEmpty();
			for (String part : picture.expectFirst("style").html().split("[{}]")[1].split(";")) {
				String[] variable = part.split(":");
				assertThat(styles).contains(variable[0] + ": light-dark(" + variable[1] + ",");
			}
		}
	}

	@Test
	void replacesTheColoursOfTheTheme() {
		String drawn = """
				<?xml version="1.0"?><svg style="width:9px" viewBox="0 0 9 8"><!--a--><g class="b" id="c"><rect
				fill="#000005" style="stroke:#181818;"/><text textLength="7" lengthAdjust="spacing">d</text></g></svg>
				""";
		assertThat(PictureMain.coloured(drawn, "e")).doesNotContain("xml version", "<!--", "#000", "class=\"b\"", "id=")
			.contains("viewBox=\"0 0 9 8\" class=\"guide-picture\" data-source=\"e\" width=\"9\" height=\"8\"")
			.contains("<rect style=\"fill:var(--tint);stroke:var(--quiet);\" />")
			.contains("lengthAdjust=\"spacingAndGlyphs\"")
			.contains("--tint:#f6f8fa;")
			.contains("@media (prefers-color-scheme: dark){:root{--ink:#e6edf3;");
	}

	private static Element picture(Path source) throws IOException {
		String name = source.getFileName().toString().replace(".puml", ".svg");
		return Jsoup.parse(Files.readString(PICTURES.resolve(name)), Parser.xmlParser())
			.expectFirst("svg." + PictureMain.CLASS);
	}

}
