package io.redelay.queue.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import org.jspecify.annotations.Nullable;

/**
 * The filters of groups: each instance declares the present one when it starts, and
 * others are declared while messages are published. Checks that a group gets what its
 * filter accepts, and nothing else. Times are those of the clock that does not jump.
 */
final class GroupFilters {

	private final Simulation run;

	private final Random random;

	/**
	 * What was declared for each group, the present filter last.
	 */
	private final Map<String, List<Declared>> declared = new HashMap<>();

	/**
	 * Whether the server went back in time.
	 */
	private boolean wentBack;

	GroupFilters(Simulation run, Random random) {
		this.run = run;
		this.random = random;
		Simulation.GROUPS.forEach((group) -> this.declared.computeIfAbsent(group, (name) -> new ArrayList<>())
			.add(new Declared(choose(), null, Long.MIN_VALUE)));
		this.declared.values().forEach((all) -> all.forEach(this::ended));
	}

	private GroupFilter choose() {
		return switch (this.random.nextInt(5)) {
			case 0 -> GroupFilter.NONE;
			case 1 -> GroupFilter.NONE.equalTo(Messages.REGION, "r" + this.random.nextInt(3));
			case 2 -> GroupFilter.NONE.oneOf(Messages.REGION, "r1", "r2");
			case 3 -> GroupFilter.NONE.prefix(Messages.REGION, "r");
			default -> GroupFilter.NONE.exists(Messages.REGION, false);
		};
	}

	/**
	 * Returns the filter that an instance which starts now declares for a group.
	 */
	GroupFilter declare(String group, Simulation.Instance instance) {
		List<Declared> all = this.declared.get(group);
		GroupFilter filter = all.get(all.size() - 1).filter;
		all.add(new Declared(filter, instance, elapsed()));
		return filter;
	}

	/**
	 * An instance that starts has registered a group, and so does not declare its filter
	 * any more.
	 */
	void registered(String group, Simulation.Instance instance) {
		this.declared.get(group).stream().filter((each) -> each.starting == instance).forEach(this::ended);
	}

	private void ended(Declared declaration) {
		declaration.ended = elapsed();
	}

	/**
	 * The server goes back in time: any filter may hold again, as one that was declared
	 * later may be forgotten.
	 */
	void wentBack() {
		this.wentBack = true;
		this.declared.values().forEach((all) -> all.forEach((each) -> each.until = Long.MAX_VALUE));
	}

	/**
	 * Declares another filter for a group.
	 */
	void change() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance instance = living.get(this.random.nextInt(living.size()));
		String group = Simulation.GROUPS.get(this.random.nextInt(Simulation.GROUPS.size()));
		GroupFilter filter = choose();
		instance.threads.execute(() -> {
			Declared declaration = new Declared(filter, null, elapsed());
			this.declared.get(group).add(declaration);
			this.run.note(instance + " declares '" + filter + "' for the group " + group);
			if (this.run.faulty) {
				// What is sent again meets the filter that the server went back to.
				this.run.histories.get(GroupName.of(Simulation.TOPIC, group))
					.changes((story) -> story.mayBeLeftOut |= !filter.accepts(Messages.regionOf(story.uid)));
			}
			instance.application.declare(Simulation.TOPIC, group, filter).whenComplete((registration, failure) -> {
				this.run.note(instance + " was notified of the filter of the group " + group + ": "
						+ ((failure != null) ? failure : registration));
				ended(declaration);
				if (failure == null) {
					this.run.count("filters of groups declared");
					replaced(group, declaration);
				}
			});
		});
	}

	/**
	 * Those that were declared long before it do not hold any more, unless the server
	 * went back. In a faulty run, a request may be carried out some seconds after its
	 * declaration has ended.
	 */
	private void replaced(String group, Declared declaration) {
		for (Declared each : this.declared.get(group)) {
			long last = this.run.faulty ? each.ended : each.from;
			if (!this.wentBack && last < declaration.from - Simulation.LATEST.toMillis()) {
				each.until = Math.min(each.until, elapsed());
			}
		}
	}

	/**
	 * A message was published at a time, and its group got a copy, or got none.
	 */
	void published(String group, String uid, boolean copied, long invoked) {
		List<GroupFilter> possible = possible(group, invoked);
		this.run.count(copied ? "copies of groups with filters" : "copies left out by filters");
		this.run.check(possible.stream().anyMatch((filter) -> filter.accepts(Messages.regionOf(uid)) == copied),
				uid + (copied ? " was copied" : " was not copied") + " to the group " + group + ", which takes "
						+ possible);
	}

	/**
	 * A handler of a group begins with a message.
	 */
	void handled(String group, Story story) {
		List<GroupFilter> possible = possible(group, (story.replays > 0) ? Long.MIN_VALUE : story.invoked);
		this.run.check(possible.stream().anyMatch((filter) -> filter.accepts(Messages.regionOf(story.uid))),
				story.uid + " is handled by the group " + group + ", which takes " + possible);
	}

	/**
	 * Returns whether a group certainly takes a message that it is given between a time
	 * and now.
	 */
	boolean takes(String group, String uid, long since) {
		return possible(group, since).stream().allMatch((filter) -> filter.accepts(Messages.regionOf(uid)));
	}

	/**
	 * Returns the filters that a group may have had between a time and now.
	 */
	private List<GroupFilter> possible(String group, long since) {
		return this.declared.get(group)
			.stream()
			.filter((each) -> each.until >= since)
			.map((each) -> each.filter)
			.distinct()
			.toList();
	}

	private long elapsed() {
		return this.run.time.elapsed().toMillis();
	}

	/**
	 * A filter that was declared.
	 */
	private static final class Declared {

		private final GroupFilter filter;

		/**
		 * The instance that declares it as it starts.
		 */
		private final Simulation.@Nullable Instance starting;

		private final long from;

		/**
		 * When the instance knew that it is declared, or that this failed.
		 */
		private long ended = Long.MAX_VALUE;

		/**
		 * Until when it may have held.
		 */
		private long until = Long.MAX_VALUE;

		Declared(GroupFilter filter, Simulation.@Nullable Instance starting, long from) {
			this.filter = filter;
			this.starting = starting;
			this.from = from;
		}

	}

}
