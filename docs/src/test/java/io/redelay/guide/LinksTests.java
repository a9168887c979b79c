package io.redelay.guide;

import java.util.List;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Links}.
 */
class LinksTests {

	private final Chapter sending = chapter("sending", "<h2 id='sending'>Sending</h2><h3 id='bulk'>In bulk</h3>");

	@Test
	void leadsToThePageOfAnAnchor() {
		Element text = body(
				"<a href='#bulk'>one</a> <a href='#sending'>two</a> <a href='https://example.com'>three</a>");
		Links.of(List.of(this.sending)).resolve("Errors", text);
		assertThat(text.select("a").eachAttr("href")).containsExactly("sending.html#bulk", "sending.html",
				"https://example.com");
	}

	@Test
	void refusesAnAnchorThatIsNotThere() {
		Element text = body("<a href='#sendign'>one</a>");
		assertThatExceptionOfType(GuideException.class)
			.isThrownBy(() -> Links.of(List.of(this.sending)).resolve("Errors", text))
			.withMessage("The chapter 'Errors' refers to anchors that no chapter has: sendign");
	}

	@Test
	void refusesAnAnchorThatIsThereTwice() {
		Chapter other = chapter("errors", "<h2 id='errors'>Errors</h2><h3 id='bulk'>In bulk</h3>");
		assertThatExceptionOfType(GuideException.class).isThrownBy(() -> Links.of(List.of(this.sending, other)))
			.withMessageStartingWith("The anchor 'bulk' is there twice: sending.html#bulk and errors.html#bulk.");
	}

	private static Chapter chapter(String id, String html) {
		return new Chapter(id, id, "", 1, false, body(html));
	}

	private static Element body(String html) {
		return Jsoup.parseBodyFragment(html).body();
	}

}
