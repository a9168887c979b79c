package io.redelay.queue.topic;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.DeclaredFilter;

/**
 * The membership of this instance's containers in a group.
 * <p>
 * Safe for use by many threads.
 */
final class GroupMembership {

	private final String topic;

	private final String group;

	private final Duration expiry;

	/**
	 * Its filter: declared with the first registration, whose time later registrations
	 * repeat.
	 */
	private volatile DeclaredFilter filter;

	private boolean replacementLogged;

	private final CompletableFuture<Void> registered = new CompletableFuture<>();

	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	private int containers;

	private boolean going;

	private boolean began;

	GroupMembership(String topic, String group, Duration expiry, GroupFilter filter) {
		this.topic = topic;
		this.group = group;
		this.expiry = expiry;
		this.filter = DeclaredFilter.now(filter);
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

	DeclaredFilter filter() {
		return this.filter;
	}

	/**
	 * Takes note when the filter was declared.
	 * @param registered the filter that the group has now
	 * @return whether that is another one, which was declared later; true once
	 */
	synchronized boolean isReplaced(DeclaredFilter registered) {
		if (registered.filter().equals(this.filter.filter())) {
			this.filter = registered;
			this.replacementLogged = false;
			return false;
		}
		boolean first = !this.replacementLogged;
		this.replacementLogged = true;
		return first;
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
	 * Whether its registration has not begun; true once.
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
	 * Whether its end has not begun; true once.
	 */
	synchronized boolean goes() {
		boolean first = !this.going;
		this.going = true;
		return first;
	}

	/**
	 * Completes when the work after leaving it is done.
	 */
	CompletableFuture<Void> gone() {
		return this.gone;
	}

	@Override
	public String toString() {
		return "group '" + this.group + "' of the topic '" + this.topic + "'";
	}

}
