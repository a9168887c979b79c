package io.redelay.queue.message;

import java.time.Instant;

import io.redelay.queue.GroupFilter;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a group, and when it was declared. Of two declarations the later one
 * holds. So an instance that renews a group, or registers a forgotten group again, does
 * not replace a filter that was declared after its own.
 *
 * @param filter the filter
 * @param since when it was declared, by the clock of the store; {@code null} if it is
 * declared now
 * @since 0.1.0
 */
public record DeclaredFilter(GroupFilter filter, @Nullable Instant since) {

	/**
	 * The filter of a group for which none was ever declared.
	 */
	public static final DeclaredFilter NONE = new DeclaredFilter(GroupFilter.NONE, Instant.EPOCH);

	/**
	 * Declares a filter now.
	 * @param filter the filter
	 * @return the declaration
	 */
	public static DeclaredFilter now(GroupFilter filter) {
		return new DeclaredFilter(filter, null);
	}

}
