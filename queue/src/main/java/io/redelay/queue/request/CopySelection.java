package io.redelay.queue.request;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.message.NewMessage;

/**
 * Which of the messages of a request a group gets copies of, where its filter leaves some
 * out.
 *
 * @param marks of each message of the request, in their order, {@code 1} if the group
 * gets a copy and {@code 0} if not
 * @since 0.1.0
 */
public record CopySelection(String marks) {

	private static final char COPIED = '1';

	/**
	 * Returns whether the group gets none of the messages.
	 * @return whether all are left out
	 */
	public boolean isEmpty() {
		return this.marks.indexOf(COPIED) < 0;
	}

	/**
	 * Returns whether the group gets all of the messages.
	 * @return whether none is left out
	 */
	public boolean isComplete() {
		return leftOut() == 0;
	}

	/**
	 * Returns how many messages are left out.
	 * @return the number
	 */
	public int leftOut() {
		return this.marks.length() - countBefore(this.marks.length());
	}

	/**
	 * Returns whether the group gets a copy of a message.
	 * @param position the position of the message in the request
	 * @return whether it does
	 */
	public boolean contains(int position) {
		return this.marks.charAt(position) == COPIED;
	}

	/**
	 * Returns how many copies there are of the messages before one.
	 * @param position the position of the message in the request
	 * @return the number, which is the position of its copy among the copies
	 */
	public int countBefore(int position) {
		int count = 0;
		for (int i = 0; i < position; i++) {
			if (contains(i)) {
				count++;
			}
		}
		return count;
	}

	/**
	 * Returns the position of a message in the request.
	 * @param copy the position of its copy among the copies
	 * @return the position
	 */
	public int position(int copy) {
		int left = copy;
		for (int i = 0; i < this.marks.length(); i++) {
			if (contains(i) && left-- == 0) {
				return i;
			}
		}
		return copy;
	}

	/**
	 * Returns the selection for some of the messages.
	 * @param first the position of the first one
	 * @param size how many
	 * @return the part
	 */
	public CopySelection part(int first, int size) {
		return new CopySelection(this.marks.substring(first, first + size));
	}

	/**
	 * Returns the part of a request that a group gets.
	 * @param request the request
	 * @return the same request with the messages that the group gets
	 */
	public SendRequest of(SendRequest request) {
		return new SendRequest(request.lane(), request.seq(), request.renews(), of(request.messages()), request.limit(),
				request.holdBack(), request.returned(), request.handedOver(), request.copies());
	}

	/**
	 * Returns the messages that a group gets.
	 * @param messages the messages of the request
	 * @return those of them
	 */
	public List<NewMessage> of(List<NewMessage> messages) {
		List<NewMessage> copied = new ArrayList<>();
		for (int i = 0; i < messages.size(); i++) {
			if (contains(i)) {
				copied.add(messages.get(i));
			}
		}
		return copied;
	}

}
