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
record GroupFilterResolver(AttributeResolver attributes) {

	private static final String ATTRIBUTE = "groupFilter";

	GroupFilter resolve(DeclaredValues declared) {
		QueueListenerEndpoint endpoint = declared.endpoint();
		String queue = declared.queue();
		HeaderFilter[] filters = endpoint.annotation().groupFilter();
		if (!GroupName.isGroup(queue)) {
			if (filters.length > 0) {
				throw endpoint.invalid(ATTRIBUTE, "the listener takes messages of the queue '" + queue + "'",
						"Name a topic: what is sent to a queue is not copied, so that nothing can be left out. A filter of"
								+ " the handling is the attribute 'filter'");
			}
			return GroupFilter.NONE;
		}
		GroupFilter ofGroup = declared.defaults().groupFilters().get(queue);
		return (ofGroup != null) ? ofGroup : filter(endpoint, filters);
	}

	private GroupFilter filter(QueueListenerEndpoint endpoint, HeaderFilter[] filters) {
		GroupFilter filter = GroupFilter.NONE;
		try {
			for (HeaderFilter each : filters) {
				filter = with(filter, endpoint, each);
			}
		}
		catch (IllegalArgumentException ex) {
			throw endpoint.invalid(ATTRIBUTE, String.valueOf(ex.getMessage()), "Correct the annotation", ex);
		}
		return filter;
	}

	/**
	 * One string may hold several values; of several strings, each is one.
	 */
	private List<String> oneOf(QueueListenerEndpoint endpoint, String[] values) {
		if (values.length == 1) {
			return this.attributes.texts(endpoint, ATTRIBUTE, values);
		}
		return Arrays.stream(values).map((value) -> {
			String text = this.attributes.text(endpoint, ATTRIBUTE, value);
			return (text != null) ? text : "";
		}).toList();
	}

	private GroupFilter with(GroupFilter given, QueueListenerEndpoint endpoint, HeaderFilter each) {
		String header = this.attributes.text(endpoint, ATTRIBUTE, each.name());
		if (header == null) {
			throw endpoint.invalid(ATTRIBUTE, "a @HeaderFilter has no name", "Name the header that it looks at");
		}
		String equalTo = this.attributes.text(endpoint, ATTRIBUTE, each.equalTo());
		List<String> oneOf = oneOf(endpoint, each.oneOf());
		String prefix = this.attributes.text(endpoint, ATTRIBUTE, each.prefix());
		Boolean exists = this.attributes.flag(endpoint, ATTRIBUTE, each.exists());
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
			throw endpoint.invalid(ATTRIBUTE, "nothing is asked of the header '" + header + "'",
					"Give one of equalTo, oneOf, prefix and exists, as in @HeaderFilter(name = \"" + header
							+ "\", exists = \"true\")");
		}
		return filter;
	}

}
