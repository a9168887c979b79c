package io.redelay.queue.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.admin.QueueLimits;

/**
 * Shows the limits of a queue, and where they come from, as JSON.
 */
final class LimitsView {

	private LimitsView() {
	}

	static Map<String, Object> of(QueueLimits limits) {
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("queue", limits.queue());
		view.put("limits", limits.entries().stream().map(LimitsView::entry).toList());
		if (limits.changedAt() != null) {
			view.put("changedAt", limits.changedAt());
		}
		if (limits.changedBy() != null) {
			view.put("changedBy", String.valueOf(BoundedText.brief(limits.changedBy())));
		}
		return view;
	}

	private static Map<String, Object> entry(QueueLimits.Entry entry) {
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("limit", entry.limit().attribute());
		view.put("origin", entry.origin());
		view.put("inForce", entry.inForce());
		if (entry.set() != null) {
			view.put("set", entry.set());
		}
		List<Map<String, Object>> declared = new ArrayList<>();
		entry.declared().forEach((each) -> declared.add(Map.of("value", each.value(), "by", each.by())));
		view.put("declared", declared);
		return view;
	}

}
