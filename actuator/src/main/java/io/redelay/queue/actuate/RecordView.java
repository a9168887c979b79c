package io.redelay.queue.actuate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Shows records of the administration as JSON does: durations in milliseconds, with a
 * matching name ({@code claimTime} becomes {@code claimMillis}, {@code backoff}
 * {@code backoffMillis}), texts cut, and without {@code null} values.
 */
final class RecordView {

	private static final String MILLIS = "Millis";

	private RecordView() {
	}

	/**
	 * Shows a record.
	 * @return its components by name, in their order
	 */
	static Map<String, Object> of(Record record) {
		Map<String, Object> view = new LinkedHashMap<>();
		for (RecordComponent component : record.getClass().getRecordComponents()) {
			put(view, component.getName(), value(record, component));
		}
		return view;
	}

	private static void put(Map<String, Object> view, String name, @Nullable Object value) {
		if (value instanceof Duration duration) {
			String unitless = name.endsWith("Time") ? name.substring(0, name.length() - 4) : name;
			view.put(unitless + MILLIS, millis(duration));
		}
		else if (value != null) {
			view.put(name, shown(value));
		}
	}

	/**
	 * A duration in milliseconds, rounded to a tenth.
	 */
	static double millis(Duration duration) {
		return Math.round(duration.toSeconds() * 10_000d + duration.toNanosPart() / 100_000d) / 10d;
	}

	private static Object shown(Object value) {
		if (value instanceof Record record) {
			return of(record);
		}
		if (value instanceof Collection<?> values) {
			return values.stream().map((each) -> shown(each)).toList();
		}
		if (value instanceof Map<?, ?> map) {
			Map<String, Object> view = new LinkedHashMap<>();
			map.forEach((name, each) -> put(view, String.valueOf(BoundedText.brief(String.valueOf(name))), each));
			return view;
		}
		return (value instanceof String text) ? String.valueOf(BoundedText.brief(text)) : value;
	}

	private static @Nullable Object value(Record record, RecordComponent component) {
		try {
			component.getAccessor().setAccessible(true);
			return component.getAccessor().invoke(record);
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException("The component '" + component.getName() + "' of "
					+ record.getClass().getName() + " is not readable", ex);
		}
	}

	/**
	 * Shows a page.
	 * @param time what time it is, by the clock that the times in it are by
	 * @param name the name of the list
	 * @param shown the entries on the page
	 * @param total how many there are on all pages
	 */
	static Map<String, Object> page(Instant time, Paging paging, String name, List<?> shown, int total) {
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", time);
		view.put("total", total);
		view.put("page", paging.page());
		view.put("size", paging.size());
		view.put("hasNext", paging.hasNext(total));
		view.put(name, shown.stream().map((each) -> shown(each)).toList());
		return view;
	}

}
