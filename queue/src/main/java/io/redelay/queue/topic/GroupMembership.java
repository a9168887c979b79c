package io.redelay.queue.topic;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.limits.GroupName;

/**
 * That containers of this instance consume from a group.
 * <p>
 * Safe for use by many threads.
 */
final class GroupMembership {

	private final String topic;

	private final String group;

	private final Duration expiry;

	private final CompletableFuture<Void> registered = new CompletableFuture<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private int containers;

	private boolean going;

	private boolean began;

	GroupMembership(String topic, String group, Duration expiry) {
		this.topic = topic;
		this.group = group;
		this.expiry = expiry;
	}

	String topic() {
		return this.topic;
	}

	String group() {
		return this.group;
	}

	/**
	 * The name that the store has for the group's queue.
	 */
	String queue() {
		return GroupName.of(this.topic, this.group);
	}

	Duration expiry() {
		return this.expiry;
	}

	CompletableFuture<Void> registered() {
		return this.registered;
	}

	/**
	 * One more container consumes from it.
	 */
	synchronized void enter() {
		this.containers++;
	}

	/**
	 * One container less consumes from it.
	 * @return whether it was the last one
	 */
	synchronized boolean exit() {
		return --this.containers == 0;
	}

	synchronized boolean isLeft() {
		return this.containers == 0;
	}

	/**
	 * Whether nobody has begun to register it; true once.
	 */
	synchronized boolean isNew() {
		boolean first = !this.began;
		this.began = true;
		return first;
	}

	/**
	 * It is registered.
	 * @return whether it was not before
	 */
	boolean complete() {
		return this.registered.complete(null);
	}

	/**
	 * Whether nobody has begun to forget it; true once.
	 */
	synchronized boolean goes() {
		boolean first = !this.going;
		this.going = true;
		return first;
	}

	/**
	 * Completes when what was to be done after it was left is done.
	 */
	CompletableFuture<Void> gone() {
		return this.gone;
	}

	@Override
	public String toString() {
		return "group '" + this.group + "' of the topic '" + this.topic + "'";
	}

}
