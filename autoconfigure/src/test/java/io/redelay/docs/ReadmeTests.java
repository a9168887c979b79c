package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the README shows is what is built and run here, and both languages show the same.
 */
class ReadmeTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(redelay-[^<]+)</artifactId>");

	private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void showsTheFirstApplicationWithItsImports(String readme) throws IOException {
		String application = Files.readString(Path.of("src/test/java/com/example/shop/ShopApplication.java"));
		assertThat(blocks(readme, "java")).containsExactly(application);
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void showsTheDependencies(String readme) throws IOException {
		assertThat(blocks(readme, "xml")).containsExactly(dependencies());
	}

	@Test
	void bothLanguagesShowTheSameCommands() throws IOException {
		assertThat(commands("README.zh-CN.md")).isEqualTo(commands("README.md"));
	}

	@Test
	void bothLanguagesListTheSameProperties() throws IOException {
		assertThat(matches("README.zh-CN.md", "(?m)^\\| `(redelay\\.[^`]+)` \\|")).isNotEmpty()
			.isEqualTo(matches("README.md", "(?m)^\\| `(redelay\\.[^`]+)` \\|"));
	}

	@Test
	void theBomHasAllThatIsPublished() throws IOException {
		List<String> modules = Pattern.compile("<module>([^<]+)</module>")
			.matcher(Files.readString(ROOT.resolve("pom.xml")))
			.results()
			.map((module) -> module.group(1))
			.toList();
		assertThat(modules).contains("starter", "bom");
		String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
		String managed = bom.substring(bom.indexOf("<dependencyManagement>"));
		for (String module : modules) {
			String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
			if (pom.contains("<maven.deploy.skip>false<")) {
				String artifact = pom.substring(pom.indexOf("</parent>"));
				assertThat(managed).as(module).contains(ARTIFACT.matcher(artifact).results().findFirst().get().group());
			}
		}
		assertThat(VERSION.matcher(bom).results().findFirst().get().group(1)).isEqualTo(version());
	}

	/**
	 * It has no parent, and a goal that is run at the root is run for each module.
	 */
	@Test
	void theBomKnowsThePluginsThatAreRunAtTheRoot() throws IOException {
		String parent = Files.readString(ROOT.resolve("pom.xml"));
		String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
		Pattern plugin = Pattern.compile("(<artifactId>[^<]+-maven-plugin</artifactId>)\\s+<version>([^<]+)<");
		assertThat(plugin.matcher(bom).results()).hasSizeGreaterThan(1).allSatisfy((managed) -> {
			Matcher same = Pattern.compile(Pattern.quote(managed.group(1)) + "\\s+<version>\\$\\{([^}]+)}")
				.matcher(parent);
			assertThat(same.find()).as(managed.group(1)).isTrue();
			assertThat(parent).contains("<" + same.group(1) + ">" + managed.group(2) + "<");
		});
		String commands = Files.readString(ROOT.resolve("README.md"))
				+ Files.readString(ROOT.resolve("CONTRIBUTING.md"));
		assertThat(Pattern.compile("(?m)^\\./mvnw ([a-z-]+):").matcher(commands).results()).isNotEmpty()
			.allSatisfy((prefix) -> assertThat(bom).contains(prefix.group(1) + "-maven-plugin"));
	}

	@Test
	void theDependenciesAreThoseOfTheBom() throws IOException {
		String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
		assertThat(ARTIFACT.matcher(dependencies()).results()).hasSize(3)
			.allSatisfy((artifact) -> assertThat(bom).contains(artifact.group()));
		assertThat(VERSION.matcher(dependencies()).results().map((version) -> version.group(1)))
			.containsExactly(version());
	}

	private static String dependencies() throws IOException {
		return Files.readString(Path.of("src/test/java/io/redelay/docs/dependencies.xml"));
	}

	private static String version() throws IOException {
		return VERSION.matcher(Files.readString(ROOT.resolve("pom.xml"))).results().findFirst().orElseThrow().group(1);
	}

	private static List<String> blocks(String readme, String language) throws IOException {
		String[] parts = Files.readString(ROOT.resolve(readme)).split("(?m)^```");
		return IntStream.range(0, parts.length)
			// Every other part is between an opening fence and a closing one.
			.filter((i) -> i % 2 == 1 && parts[i].startsWith(language + "\n"))
			.mapToObj((i) -> parts[i].substring(language.length() + 1))
			.toList();
	}

	/**
	 * The lines of a shell, without their comments.
	 */
	private static List<String> commands(String readme) throws IOException {
		return blocks(readme, "").stream()
			.flatMap(String::lines)
			.map((line) -> line.replaceFirst("(^|\\s+)#.*", ""))
			.filter((line) -> !line.isEmpty())
			.toList();
	}

	private static List<String> matches(String readme, String pattern) throws IOException {
		return Pattern.compile(pattern)
			.matcher(Files.readString(ROOT.resolve(readme)))
			.results()
			.map((MatchResult match) -> match.group(1))
			.toList();
	}

}
