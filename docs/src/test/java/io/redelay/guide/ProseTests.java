package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The guide is written in plain English: short sentences, and no words at which a reader
 * stops.
 */
class ProseTests {

	private static final int LONGEST = 35;

	/**
	 * Name the thing or the user, or use "log", "report", "notify", "in addition to",
	 * "because", "apply".
	 */
	private static final Pattern ODD_WORD = Pattern.compile("\\b(who|whom|whoever|whomever|whatever|whichever|beside"
			+ "|be it|tells?|telling|told|unheard|heeds?|heeded|heeding|reckon\\w*|therein|thereof|thereby|hence"
			+ "|whence|hither|thither|lest|amongst|whilst|albeit|upon|shall|heard of|all the same)\\b",
			Pattern.CASE_INSENSITIVE);

	@Test
	void sentencesAreShort() throws IOException {
		List<String> tooLong = new ArrayList<>();
		for (Path page : pages()) {
			for (Prose.Sentence sentence : Prose.of(page)) {
				if (sentence.words() > LONGEST) {
					tooLong.add(describe(page, sentence, sentence.words() + " words"));
				}
			}
		}
		assertThat(tooLong).as("sentences of more than %d words; make two of each", LONGEST).isEmpty();
	}

	@Test
	void noWordIsOdd() throws IOException {
		List<String> odd = new ArrayList<>();
		for (Path page : pages()) {
			for (Prose.Sentence sentence : Prose.of(page)) {
				Matcher word = ODD_WORD.matcher(sentence.text());
				while (word.find()) {
					odd.add(describe(page, sentence, "'" + word.group() + "'"));
				}
			}
		}
		assertThat(odd).as("words that are not plain").isEmpty();
	}

	@Test
	void readsProseAndNothingElse() {
		List<String> lines = """
				[[sending]]
				= Sending
				:attribute: who

				One sentence ends. *Another* one of `whoever` tells
				<<beside,a link>> here; see <<upon>>.

				[source,java]
				----
				tell(whoever);
				----
				<1> The first.
				<2> The second.

				* an item
				- another

				.A title
				Term:: Its meaning.

				|===
				|One |`two` a|Three goes
				on. |Four
				|===
				""".lines().toList();
		assertThat(Prose.of(lines)).extracting(Prose.Sentence::text)
			.containsExactly("Sending", "One sentence ends.", "*Another* one of Code tells a link here; see Link.",
					"The first.", "The second.", "an item", "another", "A title", "Term", "Its meaning.", "One",
					"Code a", "Three goes on.", "Four");
		assertThat(Prose.of(lines)).element(2).satisfies((sentence) -> {
			assertThat(sentence.line()).isEqualTo(5);
			assertThat(sentence.words()).isEqualTo(10);
			assertThat(ODD_WORD.matcher(sentence.text()).results().map((word) -> word.group()))
				.containsExactly("tells");
		});
	}

	@Test
	void readsMarkdown() {
		assertThat(Prose.of(List.of("## Try it", "See [the tour](samples/shop/README.md) for", "more.", "", "| A | B |",
				"```shell", "who", "```", "- **In order**: yes. No?")))
			.extracting(Prose.Sentence::text)
			.containsExactly("Try it", "See the tour for more.", "A", "B", "**In order**: yes.", "No?");
	}

	private static String describe(Path page, Prose.Sentence sentence, String what) {
		return page.getFileName() + ", line " + sentence.line() + ", " + what + ": " + sentence.text();
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> chapters = Files.list(Path.of("src/docs/asciidoc"))) {
			List<Path> pages = Stream.concat(chapters, Stream.of(Path.of("../README.md")))
				.filter((file) -> file.toString().matches(".*\\.(adoc|md)"))
				.sorted()
				.toList();
			assertThat(pages).hasSizeGreaterThan(50).contains(Path.of("../README.md"));
			return pages;
		}
	}

}
