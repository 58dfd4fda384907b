// How long it takes to sort 1,000 numbers, in Java: java Sorting.java
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.stream.IntStream;

public class Sorting {
    static void report(String metric, String unit, double[] values) throws IOException {
        StringJoiner listed = new StringJoiner(",");
        for (double value : values) {
            listed.add(Double.toString(value));
        }
        String line = "{\"steelyard\":1,\"metric\":\"" + metric + "\",\"unit\":\"" + unit + "\",\"values\":["
                + listed + "]}\n";
        String path = System.getenv("STEELYARD_METRICS");
        if (path == null) {
            System.out.print(line);
        } else {
            Files.writeString(Path.of(path), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    public static void main(String[] arguments) throws IOException {
        double[] values = new double[30];
        for (int i = 0; i < values.length; i++) {
            int[] numbers = IntStream.range(0, 1000).map(j -> j * 7919 % 1000).toArray();
            long start = System.nanoTime();
            Arrays.sort(numbers);
            values[i] = (System.nanoTime() - start) * 1e-9;
            if (numbers[0] != 0) {
                throw new IllegalStateException("not sorted");
            }
        }
        report("sort_s", "s", values);
    }
}
