package io.redelay.queue.simulation;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.QueueException;
import io.redelay.queue.limits.GroupName;

/**
 * Gives groups what was published once more, and checks what the guide promises of that.
 */
final class Replays {

	private final Simulation run;

	/**
	 * How often messages had been handled that a replay has to give.
	 */
	private final Map<Story, Integer> given = new HashMap<>();

	private int waiting;

	Replays(Simulation run) {
		this.run = run;
	}

	/**
	 * Gives a group all that is kept.
	 */
	void replay() {
		List<Simulation.Instance> living = this.run.living();
		if (living.isEmpty()) {
			return;
		}
		Simulation.Instance instance = living.get(this.run.random.nextInt(living.size()));
		String group = Simulation.GROUPS.get(this.run.random.nextInt(Simulation.GROUPS.size()));
		instance.threads.executeWaiting(() -> replay(instance, group));
	}

	private void replay(Simulation.Instance instance, String group) {
		History history = this.run.histories.get(GroupName.of(Simulation.TOPIC, group));
		Map<Story, Integer> ended = ended(history);
		long begun = this.run.time.elapsed().toMillis();
		this.waiting++;
		Runnable replayed = history.changes((story) -> story.replays++);
		this.run.note(instance + " has what was published be given to the group " + group);
		try {
			long count = instance.application.admin().topics().replay(Simulation.TOPIC, group, Instant.EPOCH);
			this.run.note(instance + " was notified that " + count + " messages were given to the group " + group);
			this.run.count("replays");
			this.run.check(this.run.faulty || count <= history.stories().size(),
					count + " messages were given to the group " + group + ", and " + history.stories().size()
							+ " were published");
			if (this.run.filters != null) {
				ended.keySet().removeIf((story) -> !this.run.filters.takes(group, story.uid, begun));
			}
			this.given.putAll(ended);
		}
		catch (QueueException ex) {
			this.run.note(instance + " was notified that nothing was given to the group " + group + ": " + ex);
			this.run.count("replays refused");
		}
		finally {
			replayed.run();
			this.waiting--;
		}
	}

	/**
	 * Returns the messages that certainly have to be given, and how often each had a
	 * handler: they were handled, some time ago, and no other one has their id.
	 */
	private Map<Story, Integer> ended(History history) {
		long before = this.run.time.elapsed().minus(Simulation.LATEST).toMillis();
		Map<Story, Integer> ended = new HashMap<>();
		for (Story story : history.stories()) {
			if (story.sentAt > 0 && story.done == 1 && story.running.isEmpty() && story.endedAt < before
					&& story.replays == 0 && story.id == null && !story.mayExpire()) {
				ended.put(story, story.begun);
			}
		}
		return ended;
	}

	/**
	 * Returns whether all have ended.
	 */
	boolean areOver() {
		return this.waiting == 0;
	}

	/**
	 * Checks, where nothing fails and all is kept, that what was to be given was.
	 */
	void checkEnd() {
		this.given.forEach((story, begun) -> this.run.check(story.begun > begun,
				story.uid + " was to be given to a group once more, and was not"));
	}

}
