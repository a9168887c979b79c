package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;

/**
 * Finds out whether the user of the connection has the rights that the scripts need.
 *
 * @param scripts the scripts of the client
 * @since 0.1.0
 */
public record PermissionsScript(QueueScripts scripts) {

	/**
	 * Runs the script.
	 * @return each command that the user may not use, or not on the keys and channels of
	 * queues, with the error of Redis
	 */
	public CompletableFuture<List<String>> run() {
		return this.scripts.runner()
			.runOnKey(Script.PERMISSIONS, "permissions", "Finding out what the user may do", ReplyReader::texts,
					this.scripts.wakeUps().prefix());
	}

}
