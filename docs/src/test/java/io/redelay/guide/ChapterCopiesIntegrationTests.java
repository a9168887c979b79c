package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The copies of the chapters in the repository are those that the build made. To replace
 * them, run
 *
 * <pre>
 * ./mvnw -pl docs verify -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=ChapterCopiesIntegrationTests -Dredelay.chapters.write=true
 * </pre>
 */
class ChapterCopiesIntegrationTests {

	private static final Path MADE = Path.of(System.getProperty("guide.chapters"));

	private static final Path COPIES = Path.of("chapters");

	@Test
	void theCopiesAreInStep() throws IOException {
		Map<String, String> made = read(MADE);
		if (Boolean.getBoolean("redelay.chapters.write")) {
			Files.createDirectories(COPIES);
			for (String old : read(COPIES).keySet()) {
				Files.delete(COPIES.resolve(old));
			}
			for (Map.Entry<String, String> copy : made.entrySet()) {
				Files.writeString(COPIES.resolve(copy.getKey()), copy.getValue());
			}
		}
		Map<String, String> copies = read(COPIES);
		assertThat(copies.keySet()).isEqualTo(made.keySet());
		assertThat(made).hasSizeGreaterThan(60)
			.allSatisfy((name, text) -> assertThat(copies.get(name).equals(text))
				.as("%s is in step; if not, replace it as the Javadoc of %s describes", name,
						getClass().getSimpleName())
				.isTrue());
	}

	@Test
	void aCodeHostCanShowThem() throws IOException {
		assertThat(read(MADE)).allSatisfy((name, text) -> assertThat(text).doesNotContain("include::", "<<", "[role=")
			.doesNotContainPattern("\\{[\\w-]*(snippets|version)}"));
	}

	private static Map<String, String> read(Path folder) throws IOException {
		Map<String, String> texts = new TreeMap<>();
		try (Stream<Path> files = Files.list(folder)) {
			for (Path file : files.toList()) {
				texts.put(file.getFileName().toString(), Files.readString(file));
			}
		}
		return texts;
	}

}
