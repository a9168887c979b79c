package io.redelay.queue.admin.engine.instance;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.script.admin.AdminScripts;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the announcements of instances.
 *
 * @since 0.1.0
 */
public record InstanceDirectory(AdminScripts store, JsonMapper mapper) {

	/**
	 * Reads which instances there are, in two trips.
	 */
	public CompletableFuture<List<InstanceInfo>> ask() {
		return describe().thenApply((described) -> described.stream().map(DescribedInstance::toInfo).toList());
	}

	/**
	 * Does the same, with instances that are not heard of any more and whose lanes may
	 * live.
	 */
	public CompletableFuture<Announced> askAll() {
		return describeAll().thenApply((described) -> new Announced(
				described.stream().filter(DescribedInstance::isBelieved).map(DescribedInstance::toInfo).toList(),
				described.stream().map(DescribedInstance::toInfo).toList(),
				described.stream().map((each) -> each.stored().now()).findFirst().orElse(Instant.EPOCH),
				described.stream()
					.filter((each) -> each.description().answers())
					.map((each) -> each.stored().name())
					.collect(Collectors.toSet())));
	}

	/**
	 * Returns what instances listen to.
	 * @param instances the instances
	 * @return their queues, with one entry for each listener
	 */
	public static Stream<ListenedQueue> listened(List<InstanceInfo> instances) {
		return instances.stream()
			.flatMap((instance) -> instance.listeners().stream())
			.flatMap((listener) -> listener.queues().stream());
	}

	/**
	 * Reads the announcements of instances, in two trips.
	 */
	CompletableFuture<List<DescribedInstance>> describe() {
		return describeAll().thenApply((all) -> all.stream().filter(DescribedInstance::isBelieved).toList());
	}

	private CompletableFuture<List<DescribedInstance>> describeAll() {
		return new InstanceKeys(this.store.runner()).list().thenApply((stored) -> {
			List<DescribedInstance> instances = new ArrayList<>();
			for (InstanceKeys.Instance each : stored) {
				InstanceDescription description = InstanceDescription.read(this.mapper, each.description());
				if (description != null) {
					instances.add(new DescribedInstance(each, description));
				}
			}
			return instances;
		});
	}

	/**
	 * The instances that announced themselves.
	 *
	 * @param believed those that did so lately
	 * @param all these, and those whose lanes may live
	 * @param asked when they were asked for, by the clock of their announcements
	 * @param answering the names in the store of those that answer questions
	 */
	public record Announced(List<InstanceInfo> believed, List<InstanceInfo> all, Instant asked, Set<String> answering) {

	}

	/**
	 * The announcement of an instance.
	 *
	 * @param stored what the store knows of it
	 * @param description what it announces
	 */
	record DescribedInstance(InstanceKeys.Instance stored, InstanceDescription description) {

		boolean isBelieved() {
			return announcedAt().plusMillis(this.description.believedMillis()).isAfter(this.stored.now());
		}

		Instant announcedAt() {
			return this.stored.until().minusMillis(this.description.ttlMillis());
		}

		/**
		 * The clock of the instance may differ.
		 */
		private Instant startedAt() {
			long up = this.description.upMillis();
			return (up > 0) ? announcedAt().minusMillis(up) : this.description.startedAt();
		}

		InstanceInfo toInfo() {
			Set<String> inlets = this.description.inlets();
			return new InstanceInfo(this.stored.name(), this.description.name(), this.description.client(), startedAt(),
					announcedAt(), this.description.listeners(), this.description.locks().uses(),
					this.description.locks().held(), this.description.locks().awaited(),
					(inlets != null) ? inlets : Set.of());
		}

	}

}
