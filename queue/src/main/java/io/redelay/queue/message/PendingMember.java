package io.redelay.queue.message;

/**
 * A message of a bundle that has not ended, as far as the bundle knows.
 *
 * @param queue the name that the store has for the partition of its queue
 * @param member its uid and id, see {@link BundleMembership#member}
 * @since 0.1.0
 */
public record PendingMember(String queue, String member) {

	/**
	 * Returns the uid under which it was sent.
	 * @return the uid
	 */
	public String uid() {
		return this.member.substring(0, this.member.indexOf(BundleMembership.SEPARATOR));
	}

	/**
	 * Its id, or nothing if it has none.
	 * @return the id
	 */
	public String id() {
		return this.member.substring(this.member.indexOf(BundleMembership.SEPARATOR) + 1);
	}

}
