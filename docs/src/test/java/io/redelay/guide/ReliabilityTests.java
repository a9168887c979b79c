package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the commands of the reliability report name is there.
 */
class ReliabilityTests {

	private static final Path ROOT = Path.of("..");

	@Test
	void eachTestExists() throws IOException {
		Set<String> tests = files("(.*Tests)\\.java");
		assertThat(named("\\b(\\w+Tests)\\b")).hasSizeGreaterThan(40).isSubsetOf(tests);
		assertThat(named("-D(?:it\\.)?test='?(\\w+)\\*")).hasSizeGreaterThan(3)
			.allSatisfy((beginning) -> assertThat(tests).anyMatch((test) -> test.startsWith(beginning)));
		// A name with dots would run no test, and succeed.
		assertThat(named("-Dit\\.test='([\\w./]+)[./]\\*'")).isNotEmpty()
			.allSatisfy(
					(folder) -> assertThat(ROOT.resolve("autoconfigure/src/test/java").resolve(folder)).isDirectory());
	}

	@Test
	void eachProfileExists() throws IOException {
		String poms = Files.readString(ROOT.resolve("pom.xml")) + Files.readString(Path.of("pom.xml"))
				+ Files.readString(ROOT.resolve("benchmarks/pom.xml"));
		assertThat(named("-P(\\w+)")).hasSizeGreaterThan(3)
			.allSatisfy((profile) -> assertThat(poms).contains("<id>" + profile + "</id>"));
	}

	@Test
	void eachSystemPropertyIsOneOfTheTests() throws IOException {
		String testing = Files.readString(Path.of("src/docs/asciidoc/testing.adoc"));
		assertThat(named("-D(redelay[\\w.-]+)=")).hasSizeGreaterThan(2)
			.allSatisfy((property) -> assertThat(testing).contains("|`" + property + "`"));
	}

	private static Set<String> named(String pattern) throws IOException {
		return Pattern.compile(pattern)
			.matcher(Files.readString(Path.of("src/docs/asciidoc/reliability.adoc")))
			.results()
			.map((MatchResult found) -> found.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> files(String pattern) throws IOException {
		Pattern name = Pattern.compile(pattern);
		Set<String> names = new TreeSet<>();
		for (String module : Set.of("autoconfigure", "benchmarks")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
				files.map((file) -> name.matcher(file.getFileName().toString()))
					.filter((match) -> match.matches())
					.forEach((match) -> names.add(match.group(1)));
			}
		}
		return names;
	}

}
