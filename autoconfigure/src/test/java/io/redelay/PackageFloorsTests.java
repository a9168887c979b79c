package io.redelay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of packages in {@code CONTRIBUTING.md} is true of the code: each package is
 * in it, and uses only packages of the rows below its own.
 */
class PackageFloorsTests {

	private static final String ROOT = "io.redelay.";

	private static JavaClasses library;

	/**
	 * The row of each package, counted from the bottom.
	 */
	private static Map<String, Integer> floors;

	@BeforeAll
	static void read() throws IOException {
		library = ArchConfiguration.withThreadLocalScope((configuration) -> {
			configuration.setResolveMissingDependenciesFromClassPath(false);
			return new ClassFileImporter()
				.withImportOptions(List.of(new ImportOption.DoNotIncludeTests(), new ArchitectureTests.Library()))
				.importPackages("io.redelay");
		});
		String page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
		List<String> rows = page.substring(page.indexOf("## Packages of the library"))
			.lines()
			.dropWhile((line) -> !line.startsWith("|---"))
			.skip(1)
			.takeWhile((line) -> line.startsWith("|"))
			.toList();
		floors = new HashMap<>();
		for (int row = 0; row < rows.size(); row++) {
			int floor = rows.size() - row;
			Pattern.compile("`([a-z.]+)`")
				.matcher(rows.get(row).split("\\|")[1])
				.results()
				.forEach((name) -> floors.put(ROOT + name.group(1), floor));
		}
	}

	@Test
	void eachPackageIsInTheTable() {
		assertThat(library).isNotEmpty();
		assertThat(floors.keySet())
			.containsExactlyInAnyOrderElementsOf(library.stream().map(JavaClass::getPackageName).distinct().toList());
	}

	@Test
	void aPackageUsesOnlyPackagesBelowIt() {
		List<String> wrong = new ArrayList<>();
		for (JavaClass type : library) {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				String from = type.getPackageName();
				String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
				if (!from.equals(to) && floors.containsKey(to) && floors.get(to) >= floors.get(from)) {
					wrong.add(dependency.getDescription());
				}
			}
		}
		assertThat(wrong).isEmpty();
	}

}
