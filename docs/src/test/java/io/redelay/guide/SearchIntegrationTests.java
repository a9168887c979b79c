package io.redelay.guide;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.Scriptable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tries the search of the guide that was built, with its own scripts and index.
 */
class SearchIntegrationTests {

	private static final String FUNCTIONS = """
			var search = guideSearch.create(lunr, guideIndex);
			function all() {
				return guideIndex.entries.map(function (entry) { return entry.page; });
			}
			function pages(query) {
				return search.find(query, 20).map(function (page) { return page.page; });
			}
			function sections(query) {
				return search.find(query, 3).reduce(function (all, page) {
					return all.concat(page.sections.map(function (section) { return section.page; }));
				}, []);
			}
			function excerpts(query) {
				return search.find(query, 20).map(function (page) {
					return search.excerpt(page.sections[0], query).map(function (piece) {
						return piece.marked ? '[' + piece.text + ']' : piece.text;
					}).join('').replace(/\\s+/g, ' ');
				});
			}
			""";

	private static Context context;

	private static Scriptable scope;

	@BeforeAll
	static void load() throws IOException {
		Path guide = Path.of(System.getProperty("guide.folder"));
		context = Context.enter();
		context.setLanguageVersion(Context.VERSION_ES6);
		scope = context.initStandardObjects();
		scope.put("window", scope, scope);
		for (String script : List.of("lunr.js", "search.js", "search-index.js")) {
			context.evaluateString(scope, Files.readString(guide.resolve(script)), script, 1, null);
		}
		context.evaluateString(scope, FUNCTIONS, "functions", 1, null);
	}

	@AfterAll
	static void exit() {
		Context.exit();
	}

	@Test
	void findsWhatPeopleFromOtherSystemsLookFor() throws IOException {
		List<Query> queries = queries("queries.csv");
		assertThat(queries).hasSizeGreaterThanOrEqualTo(100);
		List<String> missed = missed(queries);
		assertThat(missed).as("%d of %d queries miss", missed.size(), queries.size())
			.hasSizeLessThanOrEqualTo(queries.size() * 5 / 100);
	}

	@Test
	void findsWhatWasWrittenDownLater() throws IOException {
		List<Query> queries = queries("fresh-queries.csv");
		assertThat(queries).hasSizeGreaterThanOrEqualTo(180);
		List<String> missed = missed(queries);
		assertThat(missed).as("%d of %d queries miss", missed.size(), queries.size())
			.hasSizeLessThanOrEqualTo(queries.size() * 10 / 100);
	}

	@Test
	void knowsWherePagesAre() throws IOException {
		Set<String> pages = call("all").map(SearchIntegrationTests::name).collect(Collectors.toSet());
		for (String file : List.of("queries.csv", "fresh-queries.csv")) {
			for (Query query : queries(file)) {
				assertThat(query.wanted().stream().anyMatch((wanted) -> pages.stream().anyMatch(pattern(wanted))))
					.as("a page that '%s' wants", query.text())
					.isTrue();
			}
		}
	}

	@Test
	void findsWordsAndNotPartsOfThem() {
		assertThat(excerpts("ttl")).isNotEmpty().noneMatch((text) -> text.contains("[settling]"));
		assertThat(excerpts("delay")).isNotEmpty().noneMatch((text) -> text.contains("[Redelay]"));
	}

	@Test
	void findsFormsOfAWordAndItsBeginning() {
		assertThat(pages("retrying").subList(0, 2)).isEqualTo(pages("retries").subList(0, 2));
		assertThat(pages("idempot")).contains("idempotency");
		assertThat(pages("kube")).isNotEmpty();
	}

	@Test
	void correctsMistakesOfTyping() {
		assertThat(pages("deduplicaton")).isEqualTo(pages("deduplication"));
		assertThat(pages("kuberntes probes")).isEqualTo(pages("kubernetes probes"));
	}

	@Test
	void findsSections() {
		assertThat(call("sections", "graceful shutdown")).contains("listening.html#shutdown");
	}

	@Test
	void showsNoCode() {
		for (String query : List.of("import java.time.Duration", "send later", "rate limit", "idempotency key")) {
			assertThat(excerpts(query)).isNotEmpty()
				.noneMatch((text) -> text.replaceAll("[\\[\\]]", "").contains("import java."));
		}
	}

	@Test
	void findsNothingForWhatIsNotThere() {
		assertThat(pages("xylophone")).isEmpty();
		assertThat(pages("()")).isEmpty();
	}

	@Test
	void showsTheWordsThatItFound() {
		assertThat(excerpts("cancel a message").get(0)).containsPattern("\\[[Cc]ancel");
	}

	private static List<String> missed(List<Query> queries) {
		List<String> missed = new ArrayList<>();
		for (Query query : queries) {
			List<String> first = pages(query.text()).stream().limit(3).toList();
			if (query.wanted().stream().noneMatch((wanted) -> first.stream().anyMatch(pattern(wanted)))) {
				missed
					.add("%s: %s, wanted %s, found %s".formatted(query.system(), query.text(), query.wanted(), first));
			}
		}
		return missed;
	}

	private static Predicate<String> pattern(String wanted) {
		return Pattern.compile(wanted.replace("*", ".*")).asMatchPredicate();
	}

	private static List<String> pages(String query) {
		return call("pages", query).map(SearchIntegrationTests::name).toList();
	}

	private static String name(String page) {
		return page.replaceFirst("[.]html.*", "");
	}

	/**
	 * Returns the excerpts of all results, with brackets around what is marked.
	 */
	private static List<String> excerpts(String query) {
		return call("excerpts", query).toList();
	}

	private static Stream<String> call(String name, Object... arguments) {
		Function function = (Function) scope.get(name, scope);
		return ((List<?>) function.call(context, scope, scope, arguments)).stream().map(Object::toString);
	}

	private static List<Query> queries(String file) throws IOException {
		try (InputStream stream = SearchIntegrationTests.class.getResourceAsStream(file)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8).lines()
				.filter((line) -> !line.startsWith("#"))
				.skip(1)
				.map((line) -> line.split(";"))
				.map((fields) -> new Query(fields[0], fields[1], List.of(fields[2].split(" "))))
				.toList();
		}
	}

	/**
	 * A query.
	 *
	 * @param system what its author knows
	 * @param text what is typed
	 * @param wanted patterns of pages that have the answer
	 */
	record Query(String system, String text, List<String> wanted) {

	}

}
