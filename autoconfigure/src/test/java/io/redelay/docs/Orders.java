package io.redelay.docs;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands for an application's own services: writes down what it is told.
 */
class Orders {

	final List<String> told = new CopyOnWriteArrayList<>();

	void cancelIfUnpaid(String orderId) {
		this.told.add("cancel " + orderId);
	}

	void tell(String what) {
		this.told.add(what);
	}

}
