package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.wire.StoreDump;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a queue is meant to keep of messages that are done.
 */
final class CompletedModel {

	private static final Comparator<Kept> BY_TIME = Comparator.comparingLong(Kept::time).thenComparing(Kept::uid);

	private final Map<String, Kept> kept = new LinkedHashMap<>();

	/**
	 * The last one to be done of those that had an id.
	 */
	private final Map<String, String> ids = new HashMap<>();

	CompletedModel copy() {
		CompletedModel copy = new CompletedModel();
		copy.kept.putAll(this.kept);
		copy.ids.putAll(this.ids);
		return copy;
	}

	/**
	 * What goes together with an acknowledgement that counts.
	 * @param envelope the body, or {@code null} if the store has none, and keeps one
	 * without a payload
	 * @param tags those that it had when it lived
	 * @param work what its handlers reported
	 */
	void done(Settlement settlement, String envelope, Set<String> tags, WorkModel work, long now) {
		if (settlement.completion() == null) {
			return;
		}
		RetentionBounds bounds = null;
		for (Object section : settlement.completion().sections()) {
			if (section instanceof KeptMessage message) {
				bounds = message.bounds();
				String body = (envelope != null) ? envelope : "{\"sentAt\":" + now + ",\"v\":1,\"payload\":null}";
				keep(new Kept(settlement.uid(), message.id(), body, null, work.texts().get("progress"), tags, now));
			}
			else if (section instanceof KeptResult result) {
				String text = new String(result.text(), StandardCharsets.UTF_8);
				this.kept.computeIfPresent(settlement.uid(), (uid, each) -> new Kept(uid, each.id(), each.envelope(),
						text.substring(text.indexOf(' ') + 1), each.progress(), each.tags(), each.time()));
			}
		}
		if (bounds != null) {
			trim(bounds, now);
		}
	}

	private void keep(Kept message) {
		remove(message.uid());
		this.kept.put(message.uid(), message);
		if (message.id() != null) {
			this.ids.put(message.id(), message.uid());
		}
	}

	private void trim(RetentionBounds bounds, long now) {
		while (!this.kept.isEmpty()) {
			Kept oldest = sorted().get(0);
			if (now - oldest.time() <= bounds.maxAge().toMillis() && this.kept.size() <= bounds.maxCount()
					&& bytes() <= bounds.maxBytes()) {
				return;
			}
			remove(oldest.uid());
		}
	}

	void remove(String uid) {
		Kept removed = this.kept.remove(uid);
		if (removed != null && removed.id() != null) {
			this.ids.remove(removed.id(), uid);
		}
	}

	void clear() {
		this.kept.clear();
		this.ids.clear();
	}

	Kept get(String uid) {
		return this.kept.get(uid);
	}

	Kept byId(String id) {
		return this.kept.get(this.ids.get(id));
	}

	/**
	 * The first one to be done first.
	 */
	List<Kept> sorted() {
		return this.kept.values().stream().sorted(BY_TIME).toList();
	}

	long bytes() {
		return this.kept.values().stream().mapToLong(Kept::bytes).sum();
	}

	int size() {
		return this.kept.size();
	}

	Map<String, MessageState> byTag(String tag) {
		Map<String, MessageState> states = new HashMap<>();
		this.kept.values()
			.stream()
			.filter((each) -> each.tags().contains(tag))
			.forEach((each) -> states.put(each.uid(), MessageState.COMPLETED));
		return states;
	}

	void compare(StoreDump found) {
		Map<String, Long> times = new HashMap<>();
		Map<String, String> messages = new HashMap<>();
		this.kept.values().forEach((each) -> {
			times.put(each.uid(), each.time());
			messages.put(each.uid(), each.envelope());
			if (each.id() != null) {
				messages.put(each.uid() + "/id", each.id());
			}
			if (each.result() != null) {
				messages.put(each.uid() + "/result", each.result());
			}
			if (each.progress() != null) {
				messages.put(each.uid() + "/progress", each.progress());
			}
			if (!each.tags().isEmpty()) {
				messages.put(each.uid() + "/tags", String.join("\n", each.tags()));
			}
		});
		WorkModel.count(
				this.kept.values()
					.stream()
					.map((each) -> (each.progress() != null) ? Map.of("progress", each.progress()) : Map.of()),
				messages);
		this.ids.forEach((id, uid) -> messages.put("i:" + id, uid));
		if (!this.kept.isEmpty()) {
			messages.put("@bytes", Long.toString(bytes()));
		}
		assertThat(found.completedTags()).as("tags of the completed")
			.containsExactlyInAnyOrderElementsOf(this.kept.values()
				.stream()
				.flatMap((each) -> each.tags().stream().map((tag) -> tag + "\0" + each.uid()))
				.toList());
		assertThat(found.completed()).as("completed").isEqualTo(times);
		assertThat(found.completedMessages()).as("what is kept of the completed").isEqualTo(messages);
	}

	/**
	 * A message that is done.
	 *
	 * @param time when it was done
	 */
	record Kept(String uid, String id, String envelope, String result, String progress, Set<String> tags, long time) {

		long bytes() {
			return length(this.envelope) + length(this.result) + length(this.progress);
		}

		private static long length(String text) {
			return (text != null) ? text.getBytes(StandardCharsets.UTF_8).length : 0;
		}

	}

}
