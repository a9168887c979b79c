package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Synonyms}.
 */
class SynonymsTests {

	@TempDir
	private Path folder;

	@Test
	void readsALineForEachMeaning() throws IOException {
		assertThat(read("# Words\n\ndlq, dead letter\nk8s => #deploy, health, #shutdown\n")).containsExactly(
				new Synonyms(List.of("dlq", "dead letter"), List.of(), List.of()),
				new Synonyms(List.of("k8s"), List.of("health"), List.of("deploy", "shutdown")));
	}

	@Test
	void readsTheWordsOfTheGuide() throws IOException {
		assertThat(Synonyms.read(Path.of("src/docs/synonyms.txt"))).hasSizeGreaterThan(50);
	}

	@ParameterizedTest
	@ValueSource(strings = { "dlq", "dlq,", ", dlq", "dlq =>", "=> dlq", "a => b => c" })
	void refusesALineThatSaysNothing(String line) {
		assertThatExceptionOfType(GuideException.class).isThrownBy(() -> read(line))
			.withMessage(
					"This line of the synonyms is neither 'one, other' nor 'one, other => #anchor, third': " + line);
	}

	@Test
	void refusesAWordThatIsThereTwice() {
		assertThatExceptionOfType(GuideException.class).isThrownBy(() -> read("dlq, dead letter, dlq"))
			.withMessage("This line of the synonyms has a word twice: dlq, dead letter, dlq");
	}

	private List<Synonyms> read(String text) throws IOException {
		return Synonyms.read(Files.writeString(this.folder.resolve("synonyms.txt"), text));
	}

}
