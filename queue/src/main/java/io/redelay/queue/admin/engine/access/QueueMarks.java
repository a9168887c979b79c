package io.redelay.queue.admin.engine.access;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.MarkText;
import io.redelay.queue.script.admin.MarksKey;
import io.redelay.scheduling.AsyncCall;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the marks in the histories of queues.
 *
 * @param store the store
 * @param instance the display name of this instance
 * @since 0.1.0
 */
public record QueueMarks(AdminScripts store, String instance) {

	private static final Log logger = PlainLog.of(QueueMarks.class);

	private static final Duration SHOWN = Duration.ofDays(31);

	/**
	 * Notes what was done to a queue, without waiting for it. A mark that is not noted
	 * fails nothing.
	 * @param queue the queue
	 * @param kind what was done
	 * @param detail what else there is to know, or empty
	 */
	public void note(String queue, HistoryMark.Kind kind, String detail) {
		note(queue, Uids.instance(), kind, detail);
	}

	/**
	 * Does the same with an id, of which there is one mark.
	 * @param queue the queue
	 * @param id the id
	 * @param kind what happened
	 * @param detail what else there is to know, or empty
	 */
	public void note(String queue, String id, HistoryMark.Kind kind, String detail) {
		AsyncCall.of(() -> new MarksKey(this.store.runner()).note(queue, id, kind.name(), MarkText.of(this.instance),
				MarkText.of(detail)))
			.exceptionally((failure) -> {
				logger.debug("The history of the queue '" + queue + "' does not have the mark " + kind, failure);
				return null;
			});
	}

	/**
	 * Reads the marks of a queue, and those of the instances of its server.
	 * @param queue the queue
	 * @return the marks of the last month, the oldest first
	 */
	public List<HistoryMark> read(String queue) {
		CompletableFuture<MarksKey.Marks> instances = new MarksKey(this.store.runner()).readInstances();
		MarksKey.Marks own = StoreCalls.await(new MarksKey(this.store.runner()).read(queue));
		List<HistoryMark> marks = new ArrayList<>();
		Map<String, MarksKey.Mark> known = new HashMap<>();
		Set<String> seen = new HashSet<>();
		for (MarksKey.Mark mark : StoreCalls.await(instances).marks()) {
			known.merge(mark.id(), mark, (before, now) -> now.instance().isEmpty() ? before : now);
			add(marks, mark, known.getOrDefault(mark.id(), mark), !seen.add(mark.id()));
		}
		own.marks().forEach((mark) -> add(marks, mark, mark, false));
		marks.removeIf((mark) -> mark.time().isBefore(own.time().minus(SHOWN)));
		marks.sort(Comparator.comparing(HistoryMark::time));
		return List.copyOf(marks);
	}

	/**
	 * @param who the mark of the same instance that says who it is
	 * @param again whether there was a mark of it before
	 */
	private static void add(List<HistoryMark> marks, MarksKey.Mark mark, MarksKey.Mark who, boolean again) {
		HistoryMark.Kind kind = kind(mark.kind());
		if (kind != null) {
			marks.add(new HistoryMark(mark.time(),
					(again && kind == HistoryMark.Kind.INSTANCE_STARTED) ? HistoryMark.Kind.INSTANCE_RETURNED : kind,
					text(who.instance()), text(who.application()), text(who.version()), text(mark.detail())));
		}
	}

	/**
	 * Instances of a later version may note more than this one knows.
	 */
	private static HistoryMark.@Nullable Kind kind(String name) {
		for (HistoryMark.Kind kind : HistoryMark.Kind.values()) {
			if (kind.name().equals(name)) {
				return kind;
			}
		}
		return null;
	}

	private static @Nullable String text(String word) {
		return word.isEmpty() ? null : word;
	}

}
