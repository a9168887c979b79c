package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.guard.ServerFitness;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.QueueStatus;
import org.jspecify.annotations.Nullable;

/**
 * Redis, the instances and all queues in a few figures.
 *
 * @param time when this was said
 * @param lookedAt when the queues were looked at
 * @param redis the servers, unless it is unknown which ones they are
 * @param instances how many instances there are, unless Redis gives no answer
 * @param queues how many queues there are
 * @param states the number of queues by status
 * @param warnings how many queues that are neither behind nor stopped have a finding all
 * the same
 * @param failed how many could not be looked at
 * @param scheduled how many messages are not due yet
 * @param nextDue when the next of them is due
 * @param ready how many are due and wait
 * @param inFlight how many are in handlers' hands
 * @param dead how many were given up and are kept
 * @param inPerMinute how many become due a minute, lately, if that is counted
 * @param outPerMinute how many are done a minute, lately, if that is counted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record StatusView(Instant time, Instant lookedAt, @Nullable Redis redis, @Nullable Integer instances, int queues,
		Map<QueueStatus, Integer> states, int warnings, int failed, long scheduled, @Nullable Instant nextDue,
		long ready, long inFlight, long dead, @Nullable Long inPerMinute, @Nullable Long outPerMinute) {

	static StatusView of(QueueSnapshots.Look look, Instant now, @Nullable Redis redis, @Nullable Integer instances) {
		List<QueueSnapshot> all = List.copyOf(look.queues().values());
		long scheduled = 0;
		long ready = 0;
		long inFlight = 0;
		long dead = 0;
		for (QueueSnapshot queue : all) {
			scheduled += queue.info().scheduled();
			ready += queue.info().ready();
			inFlight += queue.info().inFlight();
			dead += queue.info().dead();
		}
		Instant nextDue = all.stream()
			.map((queue) -> queue.info().nextDue())
			.filter(Objects::nonNull)
			.min(Instant::compareTo)
			.orElse(null);
		return new StatusView(now, QueueReads.lookedAt(look, now), redis, instances, all.size(), QueueList.states(all),
				QueueList.warnings(all), look.failed().size(), scheduled, nextDue, ready, inFlight, dead,
				perMinute(all, QueueFigures::arrivalPerSecond), perMinute(all, QueueFigures::servicePerSecond));
	}

	private static @Nullable Long perMinute(Collection<QueueSnapshot> queues,
			Function<QueueFigures, @Nullable Double> perSecond) {
		double sum = 0;
		boolean known = false;
		for (QueueSnapshot queue : queues) {
			Double counted = perSecond.apply(queue.diagnosis().figures());
			if (counted != null) {
				sum += counted;
				known = true;
			}
		}
		return known ? Math.round(sum * 60) : null;
	}

	/**
	 * The servers of Redis that take writes: without their addresses, which not every
	 * reader is to know.
	 *
	 * @param answers whether all of them answer
	 * @param servers how many there are, if they answer
	 * @param role {@code master}, or {@code slave} if one of them has another master
	 * @param usedBytes how much memory their data has
	 * @param memoryBytes how much they may use, if that is known of all
	 * @param sound whether nothing is wrong with them
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Redis(boolean answers, @Nullable Integer servers, @Nullable String role, @Nullable Long usedBytes,
			@Nullable Long memoryBytes, boolean sound) {

		static final Redis SILENT = new Redis(false, null, null, null, null, false);

		static @Nullable Redis of(List<ServerFitness> servers) {
			if (servers.isEmpty()) {
				return null;
			}
			boolean known = servers.stream().allMatch((server) -> server.memoryBytes() > 0);
			String role = servers.stream()
				.map(ServerFitness::role)
				.filter((each) -> !each.equals("master"))
				.findFirst()
				.orElse("master");
			return new Redis(true, servers.size(), role, servers.stream().mapToLong(ServerFitness::usedBytes).sum(),
					known ? servers.stream().mapToLong(ServerFitness::memoryBytes).sum() : null,
					role.equals("master") && servers.stream().allMatch((server) -> server.findings().isEmpty()));
		}

	}

}
