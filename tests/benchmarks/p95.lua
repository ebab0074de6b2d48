-- What wrk's own table of latencies leaves out.
function done(_, latency)
    print(("95%% %.3fms"):format(latency:percentile(95) / 1000))
end
