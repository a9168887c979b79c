package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueStatus;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * A page of the queues.
 *
 * @param time when they were looked at
 * @param total how many queues there are that match
 * @param page the number of the page, from 0
 * @param size how many a page can hold
 * @param hasNext whether there is another page
 * @param write whether the user may act on queues
 * @param payloads whether the user sees payloads
 * @param states the number of matching queues by status
 * @param warnings how many queues that are neither behind nor stopped have a finding all
 * the same, such as handlers that fail
 * @param failed the first ten queues that could not be looked at, and so have old figures
 * or none
 * @param queues the queues
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record QueueList(Instant time, int total, int page, int size, boolean hasNext, boolean write, boolean payloads,
		Map<QueueStatus, Integer> states, int warnings, List<String> failed, List<Row> queues) {

	static Map<QueueStatus, Integer> states(List<QueueSnapshot> all) {
		Map<QueueStatus, Integer> states = new EnumMap<>(QueueStatus.class);
		for (QueueStatus status : QueueStatus.values()) {
			states.put(status, 0);
		}
		all.forEach((queue) -> states.merge(queue.status(), 1, Integer::sum));
		return states;
	}

	static int warnings(List<QueueSnapshot> all) {
		return (int) all.stream()
			.filter((queue) -> queue.status() == QueueStatus.OK || queue.status() == QueueStatus.BUSY)
			.filter(QueueOrder::isUrgent)
			.count();
	}

	/**
	 * A queue.
	 *
	 * @param queue its name
	 * @param scheduled how many are not due yet
	 * @param ready how many are due and wait
	 * @param inFlight how many are in handlers' hands
	 * @param dead how many were given up and are kept
	 * @param completed how many are done and kept
	 * @param nextDue when the next scheduled one is due, if there is one
	 * @param oldestReadyAgeMillis how long the oldest ready one has been due
	 * @param paused whether nothing is delivered
	 * @param closed whether nothing new is taken
	 * @param gatedUntil until when the queue's gate is closed
	 * @param status its status
	 * @param kind the kind of the obstacle
	 * @param headline what hinders it in some words, unless its status and figures say
	 * that
	 * @param summary why it is behind, or that it is not
	 * @param sentPerMinute how many messages were sent in the last sixty seconds
	 * @param handledPerMinute how many were acknowledged
	 * @param failedPerMinute how many attempts failed
	 * @param spark the last hour, a number a minute
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	public record Row(String queue, long scheduled, long ready, long inFlight, long dead, long completed,
			@Nullable Instant nextDue, long oldestReadyAgeMillis, boolean paused, boolean closed,
			@Nullable Instant gatedUntil, QueueStatus status, QueueFinding.Kind kind, @Nullable String headline,
			String summary, long sentPerMinute, long handledPerMinute, long failedPerMinute, Spark spark) {

		private static final Set<QueueFinding.Kind> PLAIN = EnumSet.of(QueueFinding.Kind.KEEPING_UP,
				QueueFinding.Kind.PAUSED, QueueFinding.Kind.CLOSED, QueueFinding.Kind.DEAD_LETTERS);

		private static @Nullable String headline(QueueDiagnosis diagnosis) {
			return PLAIN.contains(diagnosis.kind()) ? null
					: StringUtils.capitalize(diagnosis.findings().get(0).headline());
		}

		static Row of(QueueSnapshot snapshot, QueueHistory history) {
			QueueInfo info = snapshot.info();
			QueueDiagnosis diagnosis = snapshot.diagnosis();
			return new Row(info.queue(), info.scheduled(), info.ready(), info.inFlight(), info.dead(), info.completed(),
					info.nextDue(), info.oldestReadyAge().toMillis(), info.paused(), info.closed(), info.gatedUntil(),
					snapshot.status(), diagnosis.kind(), headline(diagnosis), diagnosis.summary(),
					history.lastMinute().sent(), history.lastMinute().handled(), history.lastMinute().failed(),
					Spark.of(history));
		}

	}

	/**
	 * The last hour of a queue, a number a minute, the oldest first.
	 *
	 * @param handled how many messages were acknowledged
	 * @param depth how many were ready at the end
	 * @param failed how many attempts failed
	 * @param waitMillis how long messages waited for their handler, on the average
	 */
	public record Spark(List<Long> handled, List<Long> depth, List<Long> failed, List<Double> waitMillis) {

		static Spark of(QueueHistory history) {
			List<QueueMinute> minutes = history.minutes();
			return new Spark(HistoryView.numbers(minutes, QueueMinute::handled),
					HistoryView.numbers(minutes, QueueMinute::ready), HistoryView.numbers(minutes, QueueMinute::failed),
					HistoryView.millis(minutes, QueueMinute::meanWait));
		}

	}

}
