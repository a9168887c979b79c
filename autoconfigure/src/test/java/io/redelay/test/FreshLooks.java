package io.redelay.test;

import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.engine.QueueSnapshotCache;
import io.redelay.queue.script.admin.AdminScripts;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at all queues each time, where the application would keep a look for five
 * seconds.
 *
 * @param store the store of the application
 */
public record FreshLooks(AdminScripts store) implements QueueSnapshots {

	@Override
	public Look latest() {
		return new QueueSnapshotCache(this.store, JsonMapper.shared()).latest();
	}

}
