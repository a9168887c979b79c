package io.redelay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The types, methods, files and packages that the READMEs of modules name are there, and
 * the tables of rooms have each package of their modules, in the order of the floors.
 */
class ModuleReadmesTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

	private static final Pattern TYPE = Pattern
		.compile("@?((?:[a-z]+\\.)*)([A-Z]\\w*)((?:\\.[A-Z]\\w*)*)(?:\\.([a-z]\\w*)\\(.*)?");

	private static final Pattern FILE = Pattern.compile("[\\w./-]+\\.(?:lua|adoc|js|html|md)");

	@ParameterizedTest
	@ValueSource(strings = { "queue", "lock", "actuator" })
	void whatAReadmeNamesIsThere(String module) throws IOException {
		List<String> missing = new ArrayList<>();
		for (String name : quoted(readme(module))) {
			if (!isThere(name)) {
				missing.add(name);
			}
		}
		assertThat(missing).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "queue", "lock" })
	void theTableOfRoomsHasEachPackageInTheOrderOfTheFloors(String module) throws IOException {
		List<String> rooms = rooms(readme(module), "## Rooms");
		List<String> floors = rooms(Files.readString(ROOT.resolve("CONTRIBUTING.md")), "## Packages of the library");
		assertThat(String.join(" ", rooms).split(" ")).containsExactlyInAnyOrderElementsOf(packages(module));
		assertThat(rooms).allSatisfy((row) -> assertThat(floors)
			.anySatisfy((floor) -> assertThat(floor.split(" ")).contains(row.split(" "))));
		List<Integer> order = rooms.stream().map((row) -> floorOf(row.split(" ")[0], floors)).toList();
		assertThat(order).isSorted();
	}

	@Test
	void eachModuleOfTheTableHasItsFolder() throws IOException {
		String page = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
		assertThat(rooms(page, "## Layout")).isNotEmpty()
			.allSatisfy((row) -> assertThat(ROOT.resolve(row.split(" ")[0])).isDirectory());
	}

	/**
	 * The quoted names in the first column of the table that follows a heading.
	 */
	private static List<String> rooms(String page, String heading) {
		return page.substring(page.indexOf(heading))
			.lines()
			.dropWhile((line) -> !line.startsWith("|---"))
			.skip(1)
			.takeWhile((line) -> line.startsWith("|"))
			.map((line) -> String.join(" ", quoted(line.split("\\|")[1])))
			.toList();
	}

	private static int floorOf(String room, List<String> floors) {
		for (int i = 0; i < floors.size(); i++) {
			if (List.of(floors.get(i).split(" ")).contains(room)) {
				return i;
			}
		}
		return -1;
	}

	private static List<String> quoted(String text) {
		return QUOTED.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
	}

	private static String readme(String module) throws IOException {
		return Files.readString(ROOT.resolve(module).resolve("README.md"));
	}

	private static List<String> packages(String module) throws IOException {
		Path sources = ROOT.resolve(module).resolve("src/main/java/io/redelay");
		try (Stream<Path> files = Files.walk(sources)) {
			return files.filter((file) -> file.endsWith("package-info.java"))
				.map((file) -> sources.relativize(file.getParent()).toString().replace('/', '.'))
				.toList();
		}
	}

	/**
	 * Whether a type with a method, a package or a file is there. Other quoted text names
	 * nothing of the kind.
	 */
	private static boolean isThere(String name) throws IOException {
		Matcher type = TYPE.matcher(name);
		if (type.matches()) {
			String file = "/" + type.group(1).replace('.', '/') + type.group(2) + ".java";
			List<String> sources = sources(file);
			String nested = type.group(3).substring(type.group(3).lastIndexOf('.') + 1);
			String method = type.group(4);
			return sources.stream()
				.anyMatch(
						(source) -> source
							.matches("(?s).*(?:class|interface|record|enum) "
									+ (nested.isEmpty() ? type.group(2) : nested) + "\\b.*")
								&& (method == null || source.contains(" " + method + "(")));
		}
		return !FILE.matcher(name).matches() || !sources("/" + name).isEmpty();
	}

	private static List<String> sources(String end) throws IOException {
		List<String> sources = new ArrayList<>();
		for (String folder : List.of("support/src/main", "lock/src/main", "queue/src/main", "actuator/src/main",
				"docs/src/docs", "autoconfigure/src/test")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
				for (Path file : files.filter((each) -> each.toString().endsWith(end)).toList()) {
					sources.add(Files.readString(file));
				}
			}
		}
		return sources;
	}

}
