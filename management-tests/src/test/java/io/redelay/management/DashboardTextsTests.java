package io.redelay.management;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.admin.QueueFinding;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Chinese texts of the dashboard are complete: they have each sentence of the page,
 * of the diagnosis and of refusals. Labels of a word, and sentences that are put
 * together, are tested in a browser by {@link DashboardViewsIntegrationTests}.
 */
class DashboardTextsTests {

	private static final Path PAGE = Path.of("../actuator/src/main/resources/io/redelay/queue/actuate/dashboard");

	private static final Path QUEUE = Path.of("../queue/src/main/java/io/redelay/queue");

	private static final Path ENDPOINTS = Path.of("../actuator/src/main/java/io/redelay/queue/actuate");

	/**
	 * Files with sentences that the page shows.
	 */
	private static final List<Path> REFUSALS = List.of(ENDPOINTS.resolve("RequestException.java"),
			ENDPOINTS.resolve("EndpointRights.java"), ENDPOINTS.resolve("Parameters.java"),
			ENDPOINTS.resolve("MessageReads.java"), QUEUE.resolve("admin/engine/access/CommandOutcomes.java"));

	private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?://|/\\*|\\*).*$");

	private static final Pattern JAVA_TEXT = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");

	private static final Pattern KEY = Pattern
		.compile("(?m)^ {2}(?:'((?:[^'\\\\\n]|\\\\.)*)'|\"((?:[^\"\\\\\n]|\\\\.)*)\"): '");

	private static final Pattern CHOICE = Pattern.compile("\\[([^]]*)]");

	/**
	 * The keys, one for each choice, with a line break for each value.
	 */
	private static final Set<String> KEYS = KEY.matcher(read(PAGE.resolve("texts.zh.js")))
		.results()
		.map((key) -> (key.group(1) != null) ? key.group(1) : key.group(2))
		.flatMap(DashboardTextsTests::variants)
		.map((key) -> key.replaceAll("\\{[a-z]?}", "\n").toLowerCase(Locale.ROOT))
		.collect(Collectors.toSet());

	@Test
	void eachSentenceOfTheDiagnosisHasAText() throws IOException {
		try (Stream<Path> rules = Files.list(QUEUE.resolve("diagnosis"))) {
			assertHasTexts(rules.flatMap(DashboardTextsTests::javaTexts));
		}
	}

	@Test
	void eachKindOfFindingHasAText() {
		String page = read(PAGE.resolve("parts.js"));
		assertThat(QueueFinding.Kind.values()).extracting((kind) -> {
			Matcher words = Pattern.compile(kind + ": '([^']+)'").matcher(page);
			return words.find() ? words.group(1).toLowerCase(Locale.ROOT)
					: kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
		}).allSatisfy((words) -> assertThat(KEYS).contains(words));
	}

	@Test
	void eachRefusalHasAText() {
		assertHasTexts(REFUSALS.stream().flatMap(DashboardTextsTests::javaTexts));
	}

	@Test
	void eachSentenceOfThePageHasAText() throws IOException {
		Set<String> others = Set.of("uplot.js", "language.js", "theme.js", "texts.zh.js");
		try (Stream<Path> files = Files.list(PAGE)) {
			assertHasTexts(files.filter((file) -> file.toString().endsWith(".js"))
				.filter((file) -> !others.contains(file.getFileName().toString()))
				.flatMap(DashboardTextsTests::pageTexts)
				.filter(Pattern.compile("[A-Z][a-z’]* [a-z].*|[A-Za-z]+ .*[.?…]").asMatchPredicate()));
		}
	}

	private static void assertHasTexts(Stream<String> texts) {
		Predicate<String> isSentence = Pattern.compile("[A-Za-z]{2,}\\S* +\\S*[A-Za-z]{2,}").asPredicate();
		Set<String> missing = texts.map(String::strip)
			.filter(isSentence)
			.filter((text) -> KEYS.stream().noneMatch((key) -> key.contains(text.toLowerCase(Locale.ROOT))))
			.map((text) -> "  '" + text.replace("'", "\\'") + "': '',")
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(missing).as("what texts.zh.js has no text for: %n%s", String.join("\n", missing)).isEmpty();
	}

	private static Stream<String> variants(String key) {
		Matcher choice = CHOICE.matcher(key);
		return !choice.find() ? Stream.of(key) : Arrays.stream(choice.group(1).split("\\|", -1))
			.flatMap((word) -> variants(key.substring(0, choice.start()) + word + key.substring(choice.end())));
	}

	/**
	 * The literals of a Java file.
	 */
	private static Stream<String> javaTexts(Path file) {
		return JAVA_TEXT.matcher(COMMENT.matcher(read(file)).replaceAll(""))
			.results()
			.map((text) -> text.group(1).replace("\\\"", "\""));
	}

	/**
	 * The literals of a file of the page: those in single quotes, and the parts of
	 * templates. What only a developer sees is thrown.
	 */
	private static Stream<String> pageTexts(Path file) {
		List<String> texts = new ArrayList<>();
		for (String line : COMMENT.matcher(read(file)).replaceAll("").split("\n")) {
			if (!line.contains("new Error(")) {
				addTexts(line, texts);
			}
		}
		return texts.stream();
	}

	private static void addTexts(String code, List<String> texts) {
		for (int at = 0; at < code.length(); at++) {
			char quote = code.charAt(at);
			if (quote == '\'' || quote == '`') {
				StringBuilder text = new StringBuilder();
				for (at++; at < code.length() && code.charAt(at) != quote; at++) {
					if (quote == '`' && code.startsWith("${", at)) {
						int end = endOfValue(code, at + 2);
						addTexts(code.substring(at + 2, end), texts);
						texts.add(text.toString());
						text.setLength(0);
						at = end;
					}
					else {
						text.append(code.charAt(at));
					}
				}
				texts.add(text.toString());
			}
		}
	}

	private static int endOfValue(String code, int begin) {
		int open = 1;
		for (int at = begin; at < code.length(); at++) {
			open += switch (code.charAt(at)) {
				case '{' -> 1;
				case '}' -> -1;
				default -> 0;
			};
			if (open == 0) {
				return at;
			}
		}
		return code.length();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
