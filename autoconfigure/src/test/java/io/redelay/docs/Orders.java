package io.redelay.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands for an application's own services: records what it is called with.
 */
class Orders {

	final List<String> reported = new CopyOnWriteArrayList<>();

	void cancelIfUnpaid(String orderId) {
		this.reported.add("cancel " + orderId);
	}

	void report(String what) {
		this.reported.add(what);
	}

}
