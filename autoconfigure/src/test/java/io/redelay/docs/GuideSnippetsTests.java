package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the pieces of code which the guide includes hold something: what sorts
 * imports moves them out of their piece.
 */
class GuideSnippetsTests {

	private static final Pattern PIECE = Pattern.compile("// tag::(\\S+)\\[](.*?)// end::\\1\\[]", Pattern.DOTALL);

	@Test
	void noPieceOfCodeIsEmpty() throws IOException {
		Map<String, String> pieces = new TreeMap<>();
		for (Path file : examples()) {
			Matcher piece = PIECE.matcher(Files.readString(file));
			while (piece.find()) {
				// One tag may be given to several parts of a file.
				pieces.merge(file.getFileName() + ": " + piece.group(1), piece.group(2).strip(), String::concat);
			}
		}
		assertThat(pieces).hasSizeGreaterThan(50);
		assertThat(pieces).doesNotContainValue("");
	}

	private static List<Path> examples() throws IOException {
		List<Path> examples = new ArrayList<>();
		for (String module : List.of("autoconfigure", "outbox", "modulith", "kotlin-tests", "starter-test",
				"migration")) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test"))) {
				files.filter((file) -> file.toString().matches(".*\\.(java|kt)")).forEach(examples::add);
			}
		}
		return examples;
	}

}
