package io.redelay.guide.lookup;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of all exceptions that an application may meet, and of the reasons of death.
 */
final class ExceptionPage {

	private static final Pattern CONSTANT = Pattern
		.compile("(?s)/\\*\\*(.*?)\\*/\\s*(?:@\\w+\\s*)*([A-Z][A-Z_]*)(?:\\([^)]*\\))?\\s*(?:[,;]|$)");

	private static final Set<String> INTERNAL = Set.of("io.redelay.queue.message", "io.redelay.queue.request");

	private ExceptionPage() {
	}

	static String write(Sources sources) {
		Table page = new Table("look-up-exceptions", "All exceptions and reasons of death",
				"This page lists what Redelay throws, what your code may throw at it, and why a message is dead. It is made "
						+ "from the code. <<failed-sends>> and <<errors>> describe how to deal with failures.");
		page.section("look-up-exception-types", "Exceptions");
		page.begin("3,3,6", "Exception", "Extends", "Meaning");
		sources
			.all((type) -> type.kind().equals("class") && type.isPublic() && type.enclosing().isEmpty()
					&& type.name().endsWith("Exception") && !INTERNAL.contains(type.packageName()))
			.sorted(Comparator.comparing(JavaType::name))
			.forEach((type) -> page.row(List.of("`" + type.name() + "` of `" + type.packageName() + "`",
					"`" + type.header().replaceAll("(?s).*extends (\\w+).*", "$1").strip() + "`",
					Defaults.meaning(type.javadoc()))));
		page.end();
		page.section("look-up-death-reasons", "Reasons of death");
		page.begin("2,7", "Reason", "Meaning");
		JavaType reasons = sources.all((type) -> type.name().equals("DeathReason")).findFirst().orElseThrow();
		Matcher constant = CONSTANT.matcher(reasons.body());
		while (constant.find()) {
			page.row(List.of("`" + constant.group(2) + "`", Defaults.meaning(Javadoc.of(constant.group(1)))));
		}
		page.end();
		return page.toString();
	}

}
