package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.diagnosis.DiagnosisRules;
import io.redelay.queue.diagnosis.QueueFacts;
import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.LanesScript;
import io.redelay.queue.script.admin.LookScript;
import io.redelay.queue.script.admin.StatsKey;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the facts about a queue, and applies the rules of diagnosis to them.
 */
record QueueDiagnoser(AdminScripts store) {

	/**
	 * Looks at a queue and at its history: two scripts a partition.
	 * @param instances all instances
	 */
	CompletableFuture<QueueSnapshot> look(String queue, List<String> partitions,
			InstanceDirectory.Announced instances) {
		CompletableFuture<List<StatsKey.History>> histories = histories(partitions);
		return seen(partitions)
			.thenCombine(histories,
					(seen, announced) -> redrive(queue, seen, instances)
						.thenApply((redrive) -> diagnose(queue, seen, instances, announced, redrive)))
			.thenCompose((diagnosed) -> diagnosed);
	}

	/**
	 * Looks at one of many queues, and at its history only if that can show why messages
	 * wait, or when they died.
	 * @param instances all instances
	 */
	CompletableFuture<QueueSnapshot> glance(String queue, List<String> partitions,
			InstanceDirectory.Announced instances) {
		return seen(partitions).thenCompose((seen) -> !seen.needsHistory()
				? CompletableFuture.completedFuture(diagnose(queue, seen, instances, List.of(), null))
				: histories(partitions).thenCombine(redrive(queue, seen, instances),
						(announced, redrive) -> diagnose(queue, seen, instances, announced, redrive)));
	}

	/**
	 * The rule by which dead messages are redriven, if there are any.
	 */
	private CompletableFuture<@Nullable RedriveStatus> redrive(String queue, Seen seen,
			InstanceDirectory.Announced instances) {
		return seen.hasDead() ? RedriveStatuses.of(this.store, queue, instances.believed())
				: CompletableFuture.completedFuture(null);
	}

	private CompletableFuture<Seen> seen(List<String> partitions) {
		Scheduler clock = this.store.replayMemory().scheduler();
		long start = clock.nanoTime();
		return all(partitions.stream().map(new LookScript(this.store.runner())::run).toList())
			.thenApply((looks) -> new Seen(looks, Duration.ofNanos(clock.nanoTime() - start)));
	}

	private CompletableFuture<List<StatsKey.History>> histories(List<String> partitions) {
		return all(partitions.stream().map(new StatsKey(this.store.runner())::read).toList());
	}

	private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> answers) {
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
			.thenApply((done) -> answers.stream().map(CompletableFuture::join).toList());
	}

	private static QueueSnapshot diagnose(String queue, Seen seen, InstanceDirectory.Announced instances,
			List<StatsKey.History> histories, @Nullable RedriveStatus redrive) {
		List<LookScript.State> looks = seen.looks();
		QueueInfo info = QueueCounter.sum(queue, looks.stream().map(LookScript.State::counts).toList());
		Throughput throughput = RecentThroughput.of(queue, histories, info.oldestReadyAge());
		List<LanesScript.Lane> lanes = looks.stream().flatMap((look) -> look.lanes().stream()).toList();
		long takers = instances.believed().stream().filter((each) -> each.inlets().contains(queue)).count();
		LookScript.Waiting waiting = looks.stream()
			.map(LookScript.State::waiting)
			.reduce(LookScript.Waiting::plus)
			.orElseThrow();
		QueueFacts facts = new QueueFacts(looks.get(0).counts().time(), info, waiting,
				new QueueFacts.Consumers(lanes, (int) takers, listeningTo(queue, instances.all()), instances.asked()),
				throughput, looks.get(0).counts().limits(), redrive, seen.trip());
		return new QueueSnapshot(info, DiagnosisRules.apply(facts));
	}

	private static List<InstanceInfo> listeningTo(String queue, List<InstanceInfo> instances) {
		return instances.stream()
			.filter((instance) -> InstanceDirectory.listened(List.of(instance))
				.anyMatch((each) -> each.queue().equals(queue)))
			.toList();
	}

	/**
	 * The looks at the partitions of a queue.
	 *
	 * @param looks one look for each partition
	 * @param trip how long Redis took to answer
	 */
	private record Seen(List<LookScript.State> looks, Duration trip) {

		boolean hasDead() {
			return this.looks.stream().anyMatch((look) -> look.counts().messages().dead() > 0);
		}

		boolean needsHistory() {
			return this.looks.stream()
				.anyMatch((look) -> look.counts().messages().ready() > 0 || look.waiting().retrying() > 0
						|| look.counts().messages().dead() > 0);
		}

	}

}
