package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the README shows is what is built and run here, and both languages show the same.
 * The commands of the shop's README are run by a test of the shop.
 */
class ReadmeTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(redelay-[^<]+)</artifactId>");

	private static final Pattern GRADLE_DEPENDENCY = Pattern
		.compile("\"io\\.redelay:(redelay-[^:\"]+)(?::([^\"]+))?\"");

	private static final Pattern PRINTED = Pattern.compile("^# ([\\[{]|\\d+( \\d+)?$|id,)");

	private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void showsPartsOfTheFirstApplication(String readme) throws IOException {
		String application = withoutIndent(
				Files.readString(Path.of("src/test/java/com/example/shop/ShopApplication.java")));
		assertThat(blocks(readme, "java")).hasSize(2)
			.allSatisfy((part) -> assertThat(application).contains(withoutIndent(part)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void showsTheDependencies(String readme) throws IOException {
		assertThat(blocks(readme, "xml")).containsExactly(dependencies());
		assertThat(blocks(readme, "kotlin")).containsExactly(dependenciesOfGradle());
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md" })
	void fitsOnFewScreens(String readme) throws IOException {
		assertThat(Files.readAllLines(ROOT.resolve(readme))).hasSizeLessThanOrEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "samples/shop/" })
	void bothLanguagesShowTheSameCommands(String folder) throws IOException {
		assertThat(commands(folder + "README.zh-CN.md")).isNotEmpty().isEqualTo(commands(folder + "README.md"));
	}

	@Test
	void thePropertiesInChineseAreThoseOfTheGuide() throws IOException {
		String configuration = Files.readString(ROOT.resolve("docs/src/docs/asciidoc/configuration.adoc"));
		assertThat(matches("docs/zh-CN.md", "(?m)^\\| `(redelay\\.[^`<*]+[^`<*.])` \\|")).hasSizeGreaterThan(50)
			.allSatisfy((property) -> assertThat(configuration).contains("`" + property + "`"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md", "docs/zh-CN.md", "samples/shop/README.md",
			"samples/shop/README.zh-CN.md" })
	void linksLeadToFilesAndAnchors(String page) throws IOException {
		Path folder = ROOT.resolve(page).resolveSibling(".");
		assertThat(matches(page, "\\]\\(((?!http)[^)]+)\\)")).isNotEmpty().allSatisfy((link) -> {
			String[] parts = link.split("#", 2);
			Path target = folder.resolve(parts[0]).normalize();
			assertThat(target).exists();
			if (parts.length == 2) {
				assertThat(Files.readString(target)).containsAnyOf("[[" + parts[1] + "]]", "\n## " + parts[1] + "\n");
			}
		});
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
	 * Maven goes on with the modules behind the shop when Ctrl+C has ended it.
	 */
	@Test
	void theCommandOfTheShopEndsWithTheShop() throws IOException {
		String pom = Files.readString(ROOT.resolve("pom.xml"));
		Matcher command = Pattern.compile("(?m)^\\./mvnw (spring-boot:run)$")
			.matcher(Files.readString(ROOT.resolve("README.md")));
		assertThat(command.find()).isTrue();
		String activation = "org.codehaus.plexus.classworlds.launcher.Launcher " + command.group(1) + "</value>";
		assertThat(pom).containsOnlyOnce("<value>" + activation).containsOnlyOnce("<value>!" + activation);
		String modules = pom.substring(pom.indexOf("<modules>"), pom.indexOf("</modules>"));
		assertThat(modules.strip()).endsWith("<module>samples/shop</module>");
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
		assertThat(GRADLE_DEPENDENCY.matcher(dependenciesOfGradle()).results()).hasSize(3).allSatisfy((dependency) -> {
			assertThat(bom).contains("<artifactId>" + dependency.group(1) + "<");
			assertThat(dependency.group(2)).isIn(null, version());
		});
	}

	private static String dependencies() throws IOException {
		return Files.readString(Path.of("src/test/java/io/redelay/docs/dependencies.xml"));
	}

	private static String dependenciesOfGradle() throws IOException {
		return Files.readString(Path.of("src/test/java/io/redelay/docs/dependencies.gradle.kts"));
	}

	private static String withoutIndent(String code) {
		return code.lines().map(String::strip).collect(Collectors.joining("\n"));
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
	 * The lines of a shell and what they print, without comments for the reader.
	 */
	private static List<String> commands(String readme) throws IOException {
		return Stream.concat(blocks(readme, "").stream(), blocks(readme, "shell").stream())
			.flatMap(String::lines)
			.filter((line) -> !line.isEmpty() && (!line.startsWith("#") || PRINTED.matcher(line).find()))
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
