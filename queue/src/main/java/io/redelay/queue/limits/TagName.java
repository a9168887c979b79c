package io.redelay.queue.limits;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The grammar of the tags by which messages are found: any text that is not blank, not
 * longer than {@value #LONGEST} characters, and without control characters, which the
 * scripts put between tags. A message has at most {@value #MOST}.
 *
 * @since 0.1.0
 */
public final class TagName {

	/**
	 * How many characters a tag has at most.
	 */
	public static final int LONGEST = 100;

	/**
	 * How many tags a message has at most.
	 */
	public static final int MOST = 10;

	private TagName() {
	}

	/**
	 * Returns what is wrong with a text as a tag.
	 * @param tag the text
	 * @return the end of a sentence that begins with what the text is, or {@code null} if
	 * it is a tag
	 */
	public static @Nullable String problem(@Nullable String tag) {
		String problem = KeyName.problem(tag);
		if (tag != null && !tag.isBlank() && tag.length() > LONGEST) {
			return "has " + tag.length() + " characters, and a tag has at most " + LONGEST;
		}
		return problem;
	}

	/**
	 * Checks a tag.
	 * @param tag the tag
	 * @throws IllegalArgumentException if it is none
	 */
	public static void check(@Nullable String tag) {
		String problem = problem(tag);
		Assert.isTrue(problem == null, () -> "'tag' " + problem + ": '" + tag + "'");
	}

	/**
	 * Checks the tags of a message.
	 * @param tags the tags
	 * @return the tags in the order given, each once, unmodifiable
	 * @throws IllegalArgumentException if one of them is none, or if they are too many
	 */
	public static Set<String> checked(@Nullable Collection<String> tags) {
		if (tags == null || tags.isEmpty()) {
			return Set.of();
		}
		tags.forEach(TagName::check);
		Set<String> all = Collections.unmodifiableSet(new LinkedHashSet<>(tags));
		Assert.isTrue(all.size() <= MOST, () -> "'tags' must be at most " + MOST + ", and " + all.size()
				+ " were given: " + all + "; put what a message is not looked for by into its headers or its payload");
		return all;
	}

}
