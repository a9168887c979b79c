package io.redelay.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.store.redis.AdminScripts;

/**
 * Has an instance that claims from a server take over the bulk jobs of instances that
 * die. One that is idle, or only sends, has no timer for them.
 */
final class BulkJobTakeover {

	private final Map<AdminScripts, QueueAdminTemplate> admins = new ConcurrentHashMap<>();

	/**
	 * The servers from which this instance has begun to claim.
	 */
	private final Set<AdminScripts> atWork = ConcurrentHashMap.newKeySet();

	/**
	 * Notes that this instance claims from a server.
	 */
	void work(AdminScripts store) {
		this.atWork.add(store);
		QueueAdminTemplate admin = this.admins.get(store);
		if (admin != null) {
			admin.runJobs();
		}
	}

	/**
	 * Adds the executor of the jobs of a server.
	 */
	void add(AdminScripts store, QueueAdminTemplate admin) {
		this.admins.put(store, admin);
		if (this.atWork.contains(store)) {
			admin.runJobs();
		}
	}

}
