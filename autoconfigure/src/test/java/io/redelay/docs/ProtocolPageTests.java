package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page on the protocol names all scripts and includes and no others, and each
 * statement a script that it can be held against.
 */
class ProtocolPageTests {

	private static final Pattern SCRIPT = Pattern.compile("`((?:includes/)?[\\w-]+\\.lua)`");

	private static String page;

	@BeforeAll
	static void read() throws IOException {
		page = Files.readString(Path.of("..", "docs", "src", "docs", "asciidoc", "protocol.adoc"));
	}

	@Test
	void thePageNamesEachScriptAndInclude() throws IOException {
		Path scripts = Path.of("..", "queue", "src", "main", "resources", "io", "redelay", "queue", "script");
		Set<String> files;
		try (Stream<Path> found = Files.walk(scripts)) {
			files = found.map((file) -> scripts.relativize(file).toString().replace('\\', '/'))
				.filter((name) -> name.endsWith(".lua"))
				.collect(Collectors.toCollection(TreeSet::new));
		}
		assertThat(names(page)).isEqualTo(files);
	}

	@Test
	void eachStatementNamesAScript() {
		List<String> statements = Pattern.compile("(?m)^\\* ").splitAsStream(page).skip(1).toList();
		assertThat(statements).hasSizeGreaterThan(20)
			.allSatisfy((statement) -> assertThat(names(statement.split("\n\n", 2)[0])).isNotEmpty());
	}

	private static Set<String> names(String text) {
		return SCRIPT.matcher(text)
			.results()
			.map((name) -> name.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
