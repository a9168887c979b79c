package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.store.Batchers;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.SteerBatcher;
import io.redelay.queue.store.SteerReply;
import io.redelay.queue.store.Steered;
import io.redelay.queue.store.Steering;
import io.redelay.queue.store.Uids;

/**
 * Acts on messages, through one batcher a queue.
 */
final class Steerer {

	private final Uids uids = new Uids();

	private final Batchers<Steering, SteerReply> batchers;

	Steerer(QueueAdminStore store) {
		this.batchers = Batchers.steering(store);
	}

	Steered steer(String queue, Steering.Action action, String id, String argument) {
		return steer(queue, List.of(new Steering(action, id, argument, this.uids.next()))).get(0);
	}

	void flag(String queue, String flag, boolean set) {
		steer(queue, List.of(Steering.flag(flag, set)));
	}

	List<Steered> cancel(String queue, List<String> ids) {
		return steer(queue,
				ids.stream().map((id) -> new Steering(Steering.Action.CANCEL, id, "", this.uids.next())).toList());
	}

	List<Steered> redrive(String queue, List<String> ids, Function<Integer, Duration> delay) {
		List<Steering> actions = new ArrayList<>(ids.size());
		for (int i = 0; i < ids.size(); i++) {
			actions.add(new Steering(Steering.Action.REDRIVE, ids.get(i), Steering.after(delay.apply(i)),
					this.uids.next()));
		}
		return steer(queue, actions);
	}

	private List<Steered> steer(String queue, List<Steering> actions) {
		List<CompletableFuture<List<Steered>>> sent = new ArrayList<>();
		for (int first = 0; first < actions.size(); first += SteerBatcher.MAX_ACTIONS) {
			sent.add(SteerBatcher.steer(
					actions.subList(first, Math.min(actions.size(), first + SteerBatcher.MAX_ACTIONS)),
					(some) -> this.batchers.submit(queue, some, true)));
		}
		List<Steered> results = new ArrayList<>(actions.size());
		sent.forEach((each) -> results.addAll(StoreCalls.await(each)));
		return results;
	}

}
