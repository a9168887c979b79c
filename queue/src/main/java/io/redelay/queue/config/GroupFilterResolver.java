package io.redelay.queue.config;

import java.util.Arrays;
import java.util.List;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.limits.GroupName;

/**
 * Determines which messages the group of a listener gets copies of: from the
 * configuration of the group, or else from the annotation.
 */
record GroupFilterResolver(ListenerAttributes attributes) {

	private static final String ATTRIBUTE = "groupFilter";

	GroupFilter resolve(DeclaredValues declared) {
		String queue = declared.queue();
		HeaderFilter[] filters = this.attributes.annotation().groupFilter();
		if (!GroupName.isGroup(queue)) {
			if (filters.length > 0) {
				throw this.attributes.invalid(ATTRIBUTE, "the listener takes messages of the queue '" + queue + "'",
						"Name a topic: what is sent to a queue is not copied, so that nothing can be left out. A filter of"
								+ " the handling is the attribute 'filter'");
			}
			return GroupFilter.NONE;
		}
		GroupFilter ofGroup = declared.defaults().groupFilters().get(queue);
		return (ofGroup != null) ? ofGroup : filter(filters);
	}

	private GroupFilter filter(HeaderFilter[] filters) {
		GroupFilter filter = GroupFilter.NONE;
		try {
			for (HeaderFilter each : filters) {
				filter = with(filter, each);
			}
		}
		catch (IllegalArgumentException ex) {
			throw this.attributes.invalid(ATTRIBUTE, String.valueOf(ex.getMessage()), "Correct the annotation", ex);
		}
		return filter;
	}

	/**
	 * One string may hold several values; of several strings, each is one.
	 */
	private List<String> oneOf(String[] values) {
		if (values.length == 1) {
			return this.attributes.texts(ATTRIBUTE, values);
		}
		return Arrays.stream(values).map((value) -> {
			String text = this.attributes.text(ATTRIBUTE, value);
			return (text != null) ? text : "";
		}).toList();
	}

	private GroupFilter with(GroupFilter given, HeaderFilter each) {
		String header = this.attributes.text(ATTRIBUTE, each.name());
		if (header == null) {
			throw this.attributes.invalid(ATTRIBUTE, "a @HeaderFilter has no name", "Name the header that it looks at");
		}
		String equalTo = this.attributes.text(ATTRIBUTE, each.equalTo());
		List<String> oneOf = oneOf(each.oneOf());
		String prefix = this.attributes.text(ATTRIBUTE, each.prefix());
		Boolean exists = this.attributes.flag(ATTRIBUTE, each.exists());
		GroupFilter filter = given;
		if (equalTo != null) {
			filter = filter.equalTo(header, equalTo);
		}
		if (!oneOf.isEmpty()) {
			filter = filter.oneOf(header, oneOf.toArray(String[]::new));
		}
		if (prefix != null) {
			filter = filter.prefix(header, prefix);
		}
		if (exists != null) {
			filter = filter.exists(header, exists);
		}
		if (filter.equals(given)) {
			throw this.attributes.invalid(ATTRIBUTE, "nothing is asked of the header '" + header + "'",
					"Give one of equalTo, oneOf, prefix and exists, as in @HeaderFilter(name = \"" + header
							+ "\", exists = \"true\")");
		}
		return filter;
	}

}
