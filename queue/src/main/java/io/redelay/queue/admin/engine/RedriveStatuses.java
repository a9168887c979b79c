package io.redelay.queue.admin.engine;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.RedriveRule;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RedriveTurnScript;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rules by which dead messages are redriven. The instances announce the rule,
 * and the store has the time when it is carried out next.
 */
record RedriveStatuses(AdminScripts store, InstanceDirectory instances) {

	Optional<RedriveStatus> of(String queue) {
		return Optional.ofNullable(StoreCalls.await(of(this.store, queue, StoreCalls.await(this.instances.ask()))));
	}

	/**
	 * Asks the store, if there is a rule.
	 * @param instances all instances
	 */
	static CompletableFuture<@Nullable RedriveStatus> of(AdminScripts store, String queue,
			List<InstanceInfo> instances) {
		RedriveRule rule = InstanceDirectory.listened(instances)
			.filter((listened) -> listened.queue().equals(queue))
			.map(ListenedQueue::redrive)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		return (rule == null) ? CompletableFuture.completedFuture(null)
				: new RedriveTurnScript(store.runner()).look(queue)
					.thenApply((look) -> new RedriveStatus(rule, look.held(), look.next(), look.stayed()));
	}

}
