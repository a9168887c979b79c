package io.redelay.guide;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Follows the links between the texts of the repository: READMEs in both languages,
 * chapters of the guide, and files.
 */
class RepositoryLinksTests {

	private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

	/** A link or an image of Markdown, and what its target is. */
	private static final Pattern MARKDOWN = Pattern.compile("]\\(([^)\\s]+)\\)");

	/** A link, an image or an include of AsciiDoc. */
	private static final Pattern ASCIIDOC = Pattern.compile("(?:link:|image::?|include::)([^\\[\\s]+)\\[");

	/** A file that is named by its path, as {@code samples/shop/README.md}. */
	private static final Pattern NAMED = Pattern
		.compile("`((?:[a-z][a-z0-9-]*/)+[A-Za-z0-9_-]+\\.(?:adoc|java|json|kts|md|puml|sh|svg|tsv|txt|xml|yml))`");

	private static final Pattern HEADING = Pattern.compile("(?m)^[#=]+ +(.+?) *$");

	private static final Pattern ANCHOR = Pattern.compile("\\[\\[([^],]+)");

	private final Map<Path, Set<String>> anchors = new HashMap<>();

	@Test
	void linksOfMarkdownLeadToFilesAndAnchors() throws IOException {
		List<String> broken = new ArrayList<>();
		int links = 0;
		for (Path page : texts(".md")) {
			for (String target : matches(MARKDOWN, withoutCode(Files.readString(page)))) {
				links++;
				if (!leads(page, target)) {
					broken.add(ROOT.relativize(page) + ": " + target);
				}
			}
		}
		assertThat(links).isGreaterThan(50);
		assertThat(broken).isEmpty();
	}

	@Test
	void linksOfChaptersLeadToFiles() throws IOException {
		List<String> broken = new ArrayList<>();
		for (Path page : texts(".adoc")) {
			for (String target : matches(ASCIIDOC, Files.readString(page))) {
				if (!target.contains("{") && !leads(page, target) && !leads(page, "images/" + target)
						&& !leads(page, "../images/" + target)
						&& !leads(page, "../src/docs/asciidoc/images/" + target)) {
					broken.add(ROOT.relativize(page) + ": " + target);
				}
			}
		}
		assertThat(broken).isEmpty();
	}

	/**
	 * A code host that shows a chapter in place does not know where the index has its
	 * images.
	 */
	@Test
	void chaptersSayWhereTheirImagesAre() throws IOException {
		for (Path page : texts(".adoc")) {
			String text = Files.readString(page);
			if (text.contains("\nimage::") && !page.getParent().endsWith("figures")) {
				assertThat(text).as(page.toString())
					.containsAnyOf("ifndef::imagesdir[:imagesdir: images]",
							"\n:imagesdir: ../src/docs/asciidoc/images");
			}
		}
	}

	@Test
	void pathsThatAreNamedAreThere() throws IOException {
		Set<String> folders = new HashSet<>();
		try (Stream<Path> files = Files.list(ROOT)) {
			files.filter(Files::isDirectory).forEach((folder) -> folders.add(folder.getFileName().toString()));
		}
		List<String> missing = new ArrayList<>();
		for (Path page : Stream.concat(texts(".md").stream(), texts(".adoc").stream()).toList()) {
			for (String path : matches(NAMED, Files.readString(page))) {
				boolean ours = folders.contains(path.substring(0, path.indexOf('/')));
				if (ours && !path.contains("target/") && !Files.exists(ROOT.resolve(path))
						&& !Files.exists(page.resolveSibling(path))) {
					missing.add(ROOT.relativize(page) + ": " + path);
				}
			}
		}
		assertThat(missing).isEmpty();
	}

	@Test
	void findsWhatIsBroken() {
		Path readme = ROOT.resolve("README.md");
		assertThat(leads(readme, "CONTRIBUTING.md")).isTrue();
		assertThat(leads(readme, "CONTRIBUTOR.md")).isFalse();
		assertThat(leads(readme, "CONTRIBUTING.md#the-rules")).isTrue();
		assertThat(leads(readme, "CONTRIBUTING.md#no-rules")).isFalse();
		assertThat(leads(readme, "docs/chapters/listening.adoc#shutdown")).isTrue();
		assertThat(leads(readme, "docs/chapters/listening.adoc#shut-down")).isFalse();
		assertThat(matches(MARKDOWN, withoutCode("[a](b.md) ![c](d.png) `[e](f)`"))).containsExactly("b.md", "d.png");
		assertThat(matches(ASCIIDOC, "link:a.adoc[a] image::b.svg[b] include::c.adoc[]")).containsExactly("a.adoc",
				"b.svg", "c.adoc");
		assertThat(matches(NAMED, "`docs/none.md` but `a.b/c.md` and `orders/7`")).containsExactly("docs/none.md");
	}

	private boolean leads(Path page, String target) {
		if (target.matches("(https?|mailto):.*")) {
			return true;
		}
		String[] parts = target.split("#", 2);
		Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
		return Files.exists(file) && (parts.length == 1
				|| this.anchors.computeIfAbsent(file, RepositoryLinksTests::anchors).contains(parts[1]));
	}

	/**
	 * Returns the anchors that a code host gives to a page: those it names, and its
	 * headings in small letters, with hyphens for blanks.
	 */
	private static Set<String> anchors(Path file) {
		try {
			String text = Files.readString(file);
			Set<String> anchors = new HashSet<>(matches(ANCHOR, text));
			for (String heading : matches(HEADING, withoutBlocks(text))) {
				anchors.add(heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'));
			}
			return anchors;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String withoutCode(String text) {
		return withoutBlocks(text).replaceAll("`[^`\n]*`", "");
	}

	private static String withoutBlocks(String text) {
		return text.replaceAll("(?ms)^```.*?^```$", "");
	}

	private static List<String> matches(Pattern pattern, String text) {
		Matcher matcher = pattern.matcher(text);
		return matcher.results().map((MatchResult match) -> match.group(1)).toList();
	}

	private static List<Path> texts(String ending) throws IOException {
		List<Path> texts = new ArrayList<>();
		try (Stream<Path> files = Files.list(ROOT)) {
			for (Path file : files.toList()) {
				String name = file.getFileName().toString();
				if (Files.isDirectory(file) && !name.startsWith(".") && !name.equals("target")) {
					try (Stream<Path> below = Files.walk(file)) {
						below.filter((each) -> !each.toString().matches(".*[/\\\\](target|node_modules)[/\\\\].*"))
							.filter((each) -> each.toString().endsWith(ending))
							.forEach(texts::add);
					}
				}
				else if (name.endsWith(ending)) {
					texts.add(file);
				}
			}
		}
		return texts;
	}

}
