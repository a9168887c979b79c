package io.redelay.queue.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.RunningHandler;

/**
 * Shows a running handler as the message that it has in hand, with the names that fields
 * of {@link MessageView} have.
 */
final class HandlerView {

	private HandlerView() {
	}

	/**
	 * A handler.
	 * @param stacks whether the user may see its thread and the line of its code
	 */
	static Map<String, Object> of(RunningHandler handler, boolean stacks) {
		Map<String, Object> view = RecordView.of(handler);
		view.put("handling", handler.state());
		view.put("state", MessageState.IN_FLIGHT);
		if (handler.progress() != null) {
			view.put("progress", MessageView.Progress.of(handler.progress()));
		}
		if (!stacks) {
			view.remove("thread");
			view.remove("line");
		}
		return view;
	}

	/**
	 * An instance that did not answer.
	 */
	static Map<String, Object> silent(InstanceInfo instance) {
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("id", instance.instance());
		view.put("name", instance.name());
		view.put("announcedAt", instance.announcedAt());
		return view;
	}

}
